"""Programs that are the same but for names, blanks and comments, and those that are not."""

import tokenize

import pytest
from independent import write_files
from tables import each

from grading.submissions.identity import MOST_READ, digest_of_program, tokens_of

SOURCE = '''import sys


def total(numbers, start=0):
    """Add."""
    result = start
    for number in numbers:
        result = result + number    # one more
        if result > 10:
            print('many', result)
    return result


print(total([int(word) for word in sys.stdin.read().split()]))
'''
SAME = [('total', 'sum_of'), ('number ', 'n '), ('result', 'number_of_all'), ('# one more', ''),
        ('    ', '\t'), (' = ', '='), ('\n\n\n', '\n\n'), ('import', '# Mine.\nimport')]
OTHER = [('+', '-'), ('print', 'max'), ('10', '11'), ("'many'", "'few'"), ('.split', '.strip'),
         ('return result', 'return start'), ('result > 10', '10 > result'),
         ("            print('many', result)\n    return", "            print('many', result)\n"
          "        return")]


def digest(folder, **files):
    return digest_of_program(write_files(folder, files))


def changed(source, change):
    assert change[0] in source, change
    return source.replace(*change)


@pytest.mark.parametrize('change', SAME, ids=str)
def test_the_same_program(tmp_path, change):
    assert digest(tmp_path / 'a', **{'a.py': SOURCE}) == digest(
        tmp_path / 'b', **{'other.py': changed(SOURCE, change)}) != ''


@pytest.mark.parametrize('change', OTHER, ids=str)
def test_another_program(tmp_path, change):
    assert digest(tmp_path / 'a', **{'a.py': SOURCE}) != digest(
        tmp_path / 'b', **{'a.py': changed(SOURCE, change)})


def test_other_languages(tmp_path):
    """Blanks alone may differ."""
    source = 'int main() { return 7; }\n' * 9
    assert digest(tmp_path / 'a', **{'a.c': source}) == digest(
        tmp_path / 'b', **{'b.c': source.replace(' ', '\n\t')}) != ''
    assert digest(tmp_path / 'c', **{'a.c': source}) != digest(
        tmp_path / 'd', **{'a.c': source.replace('7', '8')})


def test_several_files_in_any_order(tmp_path):
    one, two = SOURCE, changed(SOURCE, OTHER[0])
    assert digest(tmp_path / 'a', **{'a.py': one, 'b.py': two}) == digest(
        tmp_path / 'b', **{'x/a.py': two, 'y.py': one})
    assert digest(tmp_path / 'c', **{'a.py': one}) != digest(
        tmp_path / 'd', **{'a.py': one, 'b.py': one})


def test_what_is_short_is_like_nothing(tmp_path):
    """A program that has just been begun looks like many others."""
    assert digest(tmp_path, **{'a.py': 'print(input())\n' * 9}) == ''
    assert digest(tmp_path / 'none') == ''


HOSTILE = [b'\0' * 999, b'"""', b'(' * 999, b'if 1:\n  x\n y\n', b'# coding: nope\nx',
           b'# coding: utf-16\nx', b'# coding: zip\n', b'\xff\xfe' * 99, b'\\\n' * 999,
           b'"\\\n' * 99, b"f'{" * 99, b'1_' * 99, b' ' * 999 + b'\t']


@each('source', HOSTILE)
def test_any_bytes_have_tokens(source):
    assert isinstance(tokens_of(source), list)


def test_no_more_is_read_than_a_little(tmp_path):
    """Nor is what stands behind a link, which may be anything."""
    (tmp_path / 'secret').write_text(SOURCE, encoding='utf-8')
    folder = tmp_path / 'a'
    folder.mkdir()
    (folder / 'link.py').symlink_to(tmp_path / 'secret')
    assert digest_of_program(folder) == ''
    long = b'x = 1\n' * MOST_READ
    assert digest(tmp_path / 'b', **{'a.py': long}) == digest(
        tmp_path / 'c', **{'a.py': long[:MOST_READ]})


def test_a_long_line_is_not_tokenized(monkeypatch):
    """It would take minutes, and so cost a class its time; its characters count instead."""
    monkeypatch.setattr(tokenize, 'tokenize', None)
    assert tokens_of(b'x ' * 501) == ['x'] * 501
    with pytest.raises(TypeError):
        tokens_of(b'x ' * 500)
