"""What authors of strategies use: the check of the contract, a transcript, a benchmark."""
