"""Students can read the reports: sentences are short, and advice has few of them.

Many students read English as a second language. So a sentence has at most 20 words, and advice
has at most two sentences, apart from sentences about other languages. A quotation counts as one
word.
"""

import re

from goldens import FOLDER, read

from grading.diagnosis import hints, manners, printing
from grading.diagnosis.languages import for_language
from grading.games import GAMES
from grading.games.known_faults import faults_of
from grading.submissions import which_program

MAX_WORDS = 20  # in a sentence
MAX_SENTENCES = 2  # in advice
KNOWN = [
    *printing.WAYS,
    *manners.MANNERS,
    *(fault for game in GAMES.values() for fault in faults_of(game).known),
]
OTHER_ADVICE = [
    printing.NO_PROMPTS,
    printing.PRINTS_LIST,
    printing.ORIGINAL_PROMPTS,
    printing.EXACT_PROMPTS,
    which_program.MANY_SUBMISSIONS,
    hints.FLUSH,
    hints.AT_THE_END,
    *hints.HINTS.values(),
]
QUOTED = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
# Matches a line of a golden that is a sentence of the report; the group is the sentence.
REPORTED = re.compile(r"^(?:\d+\. (?:[\w-]+: )?|   hint     ['\"]|   (?=[A-Z]))(.*)$", re.MULTILINE)


def sentences_in(text):
    """Return the sentences of a text.

    A semicolon also ends a sentence, because each part stands alone.

    >>> sentences_in('Print "A." first. Use f(x.y) and 1.5. Stop; then go.')
    ['Print "A." first.', 'Use f(x.y) and 1.5.', 'Stop', 'then go.']
    """
    return re.split(r'(?<=[.?!])\s+(?=[A-Z])|;\s+', text)


def words_in(sentence):
    """Return the words of a sentence; a quotation is one word.

    >>> words_in('print "no more coins" after - say - f(1, 2)')
    ['print', 'QUOTED', 'after', 'say', 'f(1,', '2)']
    """
    words = QUOTED.sub('QUOTED', sentence).split()
    return [word for word in words if re.search(r'\w', word)]


def long_sentences(texts):
    """Return the number of words of each sentence with too many."""
    return {
        sentence: len(words_in(sentence))
        for text in texts
        for sentence in sentences_in(text)
        if len(words_in(sentence)) > MAX_WORDS
    }


def test_sentences_and_advice_of_known_faults_are_short():
    texts = [text for fault in KNOWN for text in (fault.sentence, fault.advice)]
    assert long_sentences([*texts, *OTHER_ADVICE]) == {}


def test_advice_has_at_most_two_sentences():
    advice = [*(fault.advice for fault in KNOWN), *OTHER_ADVICE]
    assert len(advice) > 130
    shown = [for_language(text, language) for text in advice for language in ('Python', 'C')]
    assert [text for text in shown if len(sentences_in(text)) > MAX_SENTENCES] == []


def test_sentences_of_reports_are_short():
    assert (
        long_sentences(found for text in read(FOLDER).values() for found in REPORTED.findall(text))
        == {}
    )
