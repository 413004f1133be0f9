"""Pages for people: the report of one submission, and an overview of a class.

Each is one file that fetches nothing, made from results alone. All that comes from a submission is
escaped by jinja, on top of being spelled out where it was recorded.
"""
