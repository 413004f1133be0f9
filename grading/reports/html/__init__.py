"""Pages: the report of one submission, an overview of a class, and each session.

Each page is one file that loads nothing, made from results alone. Jinja escapes all text from
submissions, which was also spelled out when it was recorded.
"""
