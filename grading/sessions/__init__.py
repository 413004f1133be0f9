"""Sessions: how they are written, played through running programs, compared, and recorded.

    transcript, steps, directives   a session in its file, its parts, and how it is compared
    running, run, pipes             the start of a program, and what it prints, gets, and waits for
    play                            a session, played by a program that runs
    expected_output, comparison     what a program prints, compared with what is due
    dialogue, verdict               all that a program did in a session, and what is wrong first
    left_files                      the files that a program leaves
    record, recorded_text           a session recorded by one's own program
"""
