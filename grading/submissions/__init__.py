"""Submissions: taken from exports, copied safely, built, and made into programs that can run.

submission                      its name, a safe copy of it, its program; digests, seeds
own_files                       the assignment's own files, which nothing replaces
exports                         the exports of learning platforms, shared out among students
"""
