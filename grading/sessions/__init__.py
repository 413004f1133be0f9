"""Sessions: how they are written, played with running programs, compared, and recorded.

A transcript is a text file. It is parsed into a session: a list of steps, each with the lines the
program must print and then one line to type. To play a session, the grader starts the program,
compares the output as it arrives, and types each line (sends it to standard input) once the output
before it is complete. The result is a dialogue, with a turn for each played step, plus the first
failure, if any.

An assignment can leave some output to the program. If prompts are free, the program may print any
prompts, or none. Free text is any text whose words differ from those of every expected line. A
question is free text that may lack its newline; it is then a prompt. No directive, but only a game
of the grader, makes text free or a question.

In a class, a submission first has a quick stint on the machine, with shorter limits, and perhaps
others after it: see `engine.stints`.

session       defines a session: its steps, and how it must end
line_rules    the rules for comparing a printed line with the expected one
directives    the table of directives, and which of them a comment contains
transcript    the text format: makes a session from a transcript
run           a running program: how it is started, its input, its output, and its end
waiting       detects whether a program is waiting for input
play          plays a session, and reads the files the program writes
items         the expected output of a turn: lines, and what may be printed between them
comparison    compares output with the expected output while it arrives
late_output   moves late output to the turns where it was expected
rows          lines up the expected and the printed lines of a failed session, for the diagnosis
verdict       what a program did in a session, and its first failure
record        records what a program does in a session
"""
