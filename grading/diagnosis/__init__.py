"""The diagnosis: the faults of a program, found from the sessions that it fails.

explain                         what is wrong with one submission: in what, why, and where
apart                           a process of its own for that, with limits
diagnose                        the faults of a program that are certain, the place that shows
                                each best, and what no fault explains
claims                          what each kind of sentence claims, and whether sessions show it
exchange                        the turn in which a session is wrong: what was expected, and printed
wordings                        whether a program has other words for a line, as its turns show
evidence                        which faults are certain, and in which sessions each shows
spots                           the wrong lines of a session, and which of them show a fault best
search                          which faults of a game explain what a program printed
match                           how far a model of a game explains a session
wrong_lines                     what is wrong in sessions of no known game, line by line
failed_session                  such a session beside its expected lines
wrong_pair                      what is wrong in an expected line and the printed one
wrong_file                      what is wrong with a file that a program writes
unfinished                      why a program did not go on, or did not end
wrong_line_sentences            the sentences about wrong lines
common_faults                   the known faults that programs for any assignment can have
printing                        the faults of printing that may explain a difference
printing_sentences              the words about a fault of printing: examples, sentence, advice
manners                         how a program reads and ends
style                           how a program prints the expected lines
observed                        what a program printed in a session, turn by turn
protocol                        the expected lines: their kinds, and the form of each kind
pairs                           the expected lines beside those that were printed
finding, example                what reports get: a finding, and the place that shows it
languages                       what an advice says of the language of a program
hints                           what is certain about a wrong line, beside its fault
wording                         what a program does, in a few words
crash                           where a program crashed, and what its error means
silence                         why a program prints nothing and ends well
places                          where in the source of the program to look
"""
