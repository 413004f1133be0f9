"""Results to make pages from, and what a page consists of."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from grading.reports.html.index import index_page, source_of
from grading.reports.html.page import report_page
from grading.sessions.transcript import Transcript

HOSTILE = ('<img src="http://fetched.example/a.png" onerror="document.title=1">'
           '<script src="http://fetched.example/b.js"></script></pre></style>'
           '<style>body{background:url(http://fetched.example/c.png)}</style>'
           '"\'&amp; {{ 7 * 7 }} {% raw %} javascript:alert(1) ]]> <!-- \\u202e')
BOARD = 'VALID\nB: 2  W: 2\n. . . .\n. W B .\n. B W .\n. . . .\nTURN: B\n'
OTHER = BOARD.replace('. W B .', '. W W .')
SEARCH = source_of('search.js')
FAULT = 'one-run'
SESSION = '$ othello_console.py\n4\n' + ''.join(
    f'|{line}\n' for line in BOARD.splitlines()) + '2 4\n|INVALID\n9 9\n|INVALID\n'
PILES = 'pile 0 = 3\npile 1 = 12\nYour turn ...\n'


def failed(name='transcripts/othello/a.txt', game='othello', **about):
    """Return a failed test as results hold it."""
    return {'name': name, 'score': 0, 'max_score': 1, 'status': 'failed', 'output': 'a message',
            'visibility': 'visible',
            'extra_data': {'kind': 'differs', 'game': game, 'faults': [], 'line': 12,
                           'typed': '2 4', 'expected': BOARD, 'printed': OTHER, 'before': '',
                           **about}}


PASSED = {'name': 'transcripts/othello/b.txt', 'score': 1, 'max_score': 1, 'status': 'passed',
          'output': '', 'visibility': 'visible', 'extra_data': {}}


def results_of(*tests, submission='somebody', output='', score=0, **about):
    """Return results as results.json holds them."""
    return {'score': score, 'execution_time': 1.25, 'visibility': 'visible', 'output': output,
            'tests': list(tests),
            'extra_data': {'submission': submission, 'game': 'othello', 'prompts': False,
                           'confinement': 'bwrap', 'reach': [], 'notes': [], 'ended': '',
                           'faults': [], 'late': None, **about}}


class Reader(HTMLParser):
    """What a page consists of: the elements with their attributes, and the text."""

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
    """No scripts but our own, nothing fetched, no links but to results and places in the page."""
    reader = Reader(page)
    tags = [tag for tag, _ in reader.elements]
    assert tags.count('script') == (reader.script != '')
    assert reader.script in ('', SEARCH)
    assert not {*tags} & {'img', 'link', 'iframe', 'object', 'embed', 'base', 'form', 'use',
                       'image', 'video', 'audio', 'source', 'foreignobject'}
    assert not re.search(r'url\(|@import|expression|src\s*:', reader.style)
    for tag, attributes in reader.elements:
        names = set(attributes)
        assert not [name for name in names if name.startswith('on')]
        assert not names & {'src', 'srcset', 'action', 'background', 'data', 'xlink:href'}, tag
        assert 'url(' not in (attributes.get('style') or '')
        assert re.match(r'#test-\d+$|\./[\w%.~-]+/report\.html$|\./grades\.csv$|\.\./index\.html$',
                        attributes.get('href', '#test-1'))


def told(*sessions, name=FAULT, **about):
    """Return what is told of a cause, as results hold it."""
    place = {**failed(**about)['extra_data'], 'name': sessions[0], 'message': 'a message'}
    return {'id': name, 'sentence': 'turns over one run only', 'advice': 'Look in all directions.',
            'sessions': [*sessions], 'place': place}


def a_class():
    """Return the page of a class of three."""
    sentence = [{'id': FAULT, 'sentence': 'turns over one run only'}]
    beside = [{'id': '', 'sentence': 'crashes at a.py, line 3 (KeyError)'}]
    return index_page([
        results_of(PASSED, failed(), submission='doe-jane', faults=[FAULT], told=sentence, score=1),
        results_of(failed(), submission='roe', told=beside, notes=['left out: x']),
        results_of(PASSED, submission='best', score=1)])


def a_report():
    """Return the page of a submission with all that a page can show."""
    where = [{'entry': 1, 'file': 'a.py', 'first': 2, 'last': 2, 'why': 'ran', 'sessions': ['a'],
              'start': 1, 'context': 'x\ny\nz'}]
    return report_page(results_of(
        failed(faults=[FAULT], step=2), PASSED, failed(kind='not run'),
        told=[told('a')], where=where, notes=['a note'], ended='the time limit'), '../index.html',
        [Transcript(f'transcripts/othello/{name}.txt', SESSION) for name in 'ab'])
