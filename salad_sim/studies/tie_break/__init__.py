"""What is the tie-break worth? Every game under every rule, and deals replayed under each."""
