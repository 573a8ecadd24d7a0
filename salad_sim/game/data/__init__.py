"""The official cards, and profiles of rules that people play by."""
