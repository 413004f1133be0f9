"""Pages: what they say, what they draw, and their templates.

Each page is one file that loads nothing, made from results alone. Jinja escapes all text from
submissions, which was also spelled out when it was recorded.
"""
