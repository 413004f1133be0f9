"""Submissions: taken from exports, copied safely, built, and made programs that can be run."""
