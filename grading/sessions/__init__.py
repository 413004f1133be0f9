"""Recorded sessions, running programs, and the one played through the other."""
