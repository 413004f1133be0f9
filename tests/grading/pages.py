"""Failed sessions and results to make pages from, and a parser of pages."""

import re
from dataclasses import replace
from html.parser import HTMLParser

from grading.diagnosis.diagnose import diagnose
from grading.reports.pages import SCRIPT, index_page
from grading.results import Example, Finding, Results, SessionResult
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, LeftFile, PlayedSession, Turn, failure_in

# Characters of all kinds, for hypothesis: it needs 1.5 seconds to list all of UTF-8 itself.
CHARACTERS = ''.join(map(chr, [*range(0x3000), *range(0xFE00, 0x10000), *range(0x1F600, 0x1F650)]))
HOSTILE = (
    '<img src="http://fetched.example/a.png" onerror="document.title=1">'
    '<script src="http://fetched.example/b.js"></script></pre></style>'
    '<style>body{background:url(http://fetched.example/c.png)}</style>'
    '"\'&amp; {{ 7 * 7 }} {% raw %} javascript:alert(1) ]]> <!-- \\u202e'
)
BOARD = 'VALID\nB: 2  W: 2\n. . . .\n. W B .\n. B W .\n. . . .\nTURN: B\n'
OTHER = BOARD.replace('. W B .', '. W W .')
TABLE = SCRIPT.read_text(encoding='utf-8')
FAULT = 'one-run'
SESSION = (
    '$ othello_console.py\n4\n'
    + ''.join(f'|{line}\n' for line in BOARD.splitlines())
    + '2 4\n|INVALID\n9 9\n|INVALID\n'
)
PILES = 'pile 0 = 3\npile 1 = 12\nYour turn ...\n'


def example(
    session='transcripts/othello/a.txt', expected=BOARD, printed=OTHER, lines=('', ''), **about
):
    """Return an example of how a program departs from a session.

    `expected` and `printed` are the whole output of a step. `lines` are the expected line and the
    printed line.
    """
    return Example(
        **{
            'expected': lines[0],
            'printed': lines[1],
            'session': session,
            'line': 12,
            'step': 1,
            'kind': 'differs',
            'game': 'othello',
            'typed': '2 4',
            'typed_line': 11,
            'expected_text': expected,
            'printed_text': printed,
            **about,
        }
    )


def played_wrong(session, number, kind, printed=b'', *, late=b'', seconds=0, **facts):
    """Return a session with right output before turn `number`, from 0, and other output in it.

    `late` is output arriving late, after `printed`.
    """
    turns = [Turn(step.output.encode()) for step in session.steps[:number]]
    dialogue = Dialogue([*turns, Turn(printed), *[Turn(late)] * bool(late)], 'silence', **facts)
    files = {file.path: LeftFile() for file in session.end.files}
    return PlayedSession(
        session,
        replace(dialogue, files=files),
        replace(failure_in(session, dialogue, number), kind=kind),
        seconds=seconds,
    )


def findings_about(text, *printed):
    """Return the findings about a program that prints these texts in the turns of a session."""
    session, dialogue = parse(text, 'a.txt'), Dialogue.printing(printed)
    played = PlayedSession(session, dialogue, failure_in(session, dialogue))
    return diagnose(lambda session: None, [played]).findings(
        lambda session: 1, lambda session: None
    )


def session_result(name, state, score=0, **about):
    """Return the result of a session."""
    return SessionResult(name, 1, score, state, **about)


def failed(name='transcripts/othello/a.txt', **about):
    """Return a failed test."""
    return session_result(name, 'failed', example=example(name, **about))


def not_run(name='transcripts/othello/c.txt', reason='a message'):
    """Return a test that was not run."""
    return session_result(name, 'not run', reason='no program', detail=reason)


PASSED = session_result('transcripts/othello/b.txt', 'passed', score=1)


def finding(*sessions, id=FAULT, points=1, places=(), **about):
    """Return a finding about some sessions; the first session has the example.

    If it has points, nothing else is wrong in the sessions.
    """
    about = {
        'sentence': 'flips discs in one direction only',
        'advice': 'Look in all directions.',
        'example': example(sessions[0]),
        'clean': [*sessions] if points else [],
        **about,
    }
    return Finding(id=id, sessions=[*sessions], clean_points=points, places=[*places], **about)


def results_of(*tests, submission='somebody', output='', score=0, findings=(), **about):
    """Return the results of a submission."""
    return Results(
        submission,
        score,
        output,
        1.25,
        tests=[*tests],
        findings=[*findings],
        **{'game': 'othello', 'confinement': 'bwrap', 'complete': True, **about},
    )


class Reader(HTMLParser):
    """The parts of a page: its elements with their attributes, text, style and script."""

    def __init__(self, page):
        super().__init__()
        self.elements = []
        self.text = ''
        self.style = ''
        self.script = ''
        self._tag = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._tag = tag

    def handle_endtag(self, tag):
        self._tag = None

    def handle_data(self, data):
        if self._tag == 'style':
            self.style += data
        elif self._tag == 'script':
            self.script += data
        else:
            self.text += data


def assert_harmless(page):
    """Check that a page has only the grader's script, fetches nothing, and has no other links.

    Links may lead to results and to places in the page.
    """
    reader = Reader(page)
    tags = [tag for tag, _ in reader.elements]
    assert tags.count('script') == (reader.script != '')
    assert reader.script in ('', TABLE)
    assert not {*tags} & {
        'img',
        'link',
        'iframe',
        'object',
        'embed',
        'base',
        'form',
        'use',
        'image',
        'video',
        'audio',
        'source',
        'foreignobject',
    }
    assert not re.search(r'url\(|@import|expression|src\s*:', reader.style)
    for tag, attributes in reader.elements:
        names = set(attributes)
        assert not [name for name in names if name.startswith('on')]
        assert not names & {'src', 'srcset', 'action', 'background', 'data', 'xlink:href'}, tag
        assert 'url(' not in (attributes.get('style') or '')
        assert re.match(
            r'#test-\d+$|#by-\w+$|\./[\w%.~-]+/report\.html#class$|\./grades\.csv$'
            r'|\.\.?/index\.html$|\./session-\d+\.html$',
            attributes.get('href', '#test-1'),
        )


def words_of(page):
    """Return the text of a page, with one space between its words."""
    return ' '.join(Reader(page).text.split())


def missing_in(page, parts):
    """Return the parts missing in a page; parts without markup are searched for in its text."""
    words = words_of(page)
    return [part for part in parts if part not in (page if re.search('[<>"]', part) else words)]


def a_class():
    """Return the page of a class of three submissions."""
    one = finding('transcripts/othello/a.txt')
    crash = finding(
        'transcripts/othello/a.txt', id='', sentence='crashes at a.py, line 3 (KeyError)'
    )
    return index_page(
        [
            results_of(PASSED, failed(), submission='doe-jane', findings=[one], score=1),
            results_of(failed(), submission='roe', findings=[crash], notes=['left out: x']),
            results_of(PASSED, submission='best', score=1),
        ]
    )
