"""Sessions: how they are written, played through running programs, compared, and recorded."""
