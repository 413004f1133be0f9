"""Runs a Python program many times, each time with one small change.

    python [OPTIONS] -c "$(cat changes.py)" ROOT FILE [ARGUMENT]...

The changes undo typical mistakes of beginners: a wrong operator, limit, name or index; a needless
condition; or a needless, misplaced or missing statement. A missing statement often exists elsewhere
in the same function.

The first line of input is a Python list of the program's files, as paths relative to the folder
ROOT (`''`: the program's folder). The answer is a line of four numbers for each possible change to
these files, followed by an empty line:

    FILE LINE ROUND DEEP    the index of the file, the line of the changed statement, and the round:
                            changes of earlier rounds help more often; DEEP is 1 if the change only
                            turns a shallow copy into a deep one, or else 0

Each further line is a Python tuple: the input of a session, the required beginning of the output,
the limit on a run's processor time in seconds, the limit on its output in bytes, and a list of the
changes to run. Each change is given as the number of its line in that answer, from 0; -1 is the
unchanged program. The answer for each run is

    STATUS SIZE TIME    the exit status, or -1 if the run was ended or the change does not compile;
                        the size of what follows, in bytes; and the processor time, in microseconds

followed by the output after the required beginning, or by nothing if the output begins differently.

Many runs share one process. If a run takes too long, this process ends, and a new process continues
with the next run. This script needs only the standard library of Python 3.8 or later, and
`os.fork`.
"""

from __future__ import annotations

import sys

LOADED = {*sys.modules}
HAS_FOLDER = not (sys.flags.isolated or getattr(sys.flags, 'safe_path', False))
if HAS_FOLDER:  # the imports below must not find the program's own modules
    del sys.path[0]

import ast
import builtins
import copy
import io
import os
import signal
import time
import types
from importlib.machinery import SourceFileLoader
from itertools import product

for name in {*sys.modules} - LOADED:  # the program may have modules with the same names
    del sys.modules[name]

if sys.implementation.name == 'pypy':  # each process would compile code and run it only briefly
    import pypyjit  # type: ignore[import-not-found]

    pypyjit.set_param('off')

TYPE_CHECKING = False  # `typing` takes a long time to import
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, Sequence

    Edit = tuple[
        int,  # the index of the top-level statement with the change
        int,  # the line of the changed statement
        int,  # the round
        bool,  # whether the change only turns a shallow copy into a deep one
        ast.AST,  # the changed node
        str,  # its field
        Any,  # the new value of the field
    ]

REAL_TIME = 100  # limit on a run's real time, as a multiple of the limit on its processor time
MAX_NAMES = 6  # how many of the nearest names to consider, the replaced name itself included
# Maximum number of statements to try after a statement, the nearest first. All statements that set
# counters are tried in addition.
MAX_MISSING = 12
NEAR = 3  # maximum number of statements to move into or out of a block
MAX_RUNS = 1000  # maximum number of runs in one process
FAILED = -1  # in place of the exit status if a run was ended or could not start
OPERATORS: dict[type[ast.AST], list[Any]] = {  # for each operator, the operators to try instead
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq, ast.In],
    ast.NotEq: [ast.Eq, ast.NotIn],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot, ast.Eq],
    ast.IsNot: [ast.Is, ast.NotEq],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add],
    ast.Div: [ast.FloorDiv],
    ast.FloorDiv: [ast.Mod],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.BitXor],
    ast.BitAnd: [ast.BitXor],
    ast.BitOr: [ast.BitXor],
    ast.BitXor: [ast.BitOr],
}
OTHER_FUNCTIONS = {  # for each function, the function to try instead
    'any': 'all',
    'all': 'any',
    'min': 'max',
    'max': 'min',
    'append': 'extend',
    'extend': 'append',
    'strip': 'lstrip',
    'find': 'rfind',
    'index': 'find',
}
VARIABLES = ast.Name, ast.Attribute, ast.Subscript
INDEXES = () if sys.version_info >= (3, 9) else (ast.Index,)  # nodes that only wrap an index
JUMPS = ast.Return, ast.Raise, ast.Break, ast.Continue
LOOPS = ast.For, ast.While
DEFINITIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
LEFT_ALONE = (  # unchanged statements; the statements in them may change
    *DEFINITIONS,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
)
BLOCKS = 'body', 'orelse', 'finalbody', 'handlers'  # fields of nodes with statements
# Fields of nodes; their content is not changed, at least not as an expression.
NO_PARTS = (*BLOCKS, 'ctx', 'op', 'annotation', 'returns', 'decorator_list', 'type_comment')


def with_fields(node: Any, **fields: Any) -> Any:
    """Return a copy of a node with some fields replaced."""
    node = copy.copy(node)
    vars(node).update(fields)
    return node


def replaced(items: Sequence[Any], index: int, *new: Any) -> list[Any]:
    """Return a list with new items in place of one item."""
    return [*items[:index], *new, *items[index + 1 :]]


def without_each(items: Sequence[Any]) -> list[list[Any]]:
    """Return copies of a list, each lacking a different item."""
    return [replaced(items, index) for index in range(len(items))]


def shifted(number: Any) -> list[Any]:
    """Return two expressions: a number plus 1, and the number minus 1."""
    return [ast.BinOp(number, sign, ast.Constant(1)) for sign in (ast.Add(), ast.Sub())]


def copied(value: Any) -> Any:
    """Return an expression for a deep copy: `__import__('copy').deepcopy(value)`."""
    module = ast.Call(ast.Name('__import__', ast.Load()), [ast.Constant('copy')], [])
    return ast.Call(ast.Attribute(module, 'deepcopy', ast.Load()), [value], [])


def is_shallow_copy(node: Any) -> bool:
    """Return whether an expression copies a list but not the lists in it, such as `board[:]`."""
    if isinstance(node, ast.Subscript):
        whole = node.slice
        return isinstance(whole, ast.Slice) and not (whole.lower or whole.upper or whole.step)
    function = getattr(node, 'func', None)
    return getattr(function, 'id', getattr(function, 'attr', '')) in ('copy', 'list')


def other_comparisons(node: Any) -> Iterator[Any]:
    """Yield a comparison with other operators, and with its last operand shifted by 1.

    A constant is not shifted here: `other_numbers` does that.
    """
    for index, operator in enumerate(node.ops):
        for other in OPERATORS[type(operator)]:
            yield with_fields(node, ops=replaced(node.ops, index, other()))
    if not isinstance(node.comparators[-1], (ast.Constant, ast.Tuple, ast.List)):
        for limit in shifted(node.comparators[-1]):
            yield with_fields(node, comparators=[*node.comparators[:-1], limit])


def other_conditions(node: Any) -> Iterator[Any]:
    """Yield a condition with `and` and `or` exchanged, and with one part left out at a time."""
    yield with_fields(node, op=OPERATORS[type(node.op)][0]())
    for rest in without_each(node.values):
        if len(rest) > 1:
            yield with_fields(node, values=rest)
        else:
            yield rest[0]


def other_sums(node: Any) -> Iterator[Any]:
    """Yield an operation with other operators, each of its operands, and `b - a` for `a - b`."""
    yield from (with_fields(node, op=other()) for other in OPERATORS.get(type(node.op), []))
    yield from (node.left, node.right)
    if isinstance(node.op, ast.Sub):
        yield with_fields(node, left=node.right, right=node.left)


def other_numbers(node: Any) -> Iterator[Any]:
    """Yield the neighbors of a number, and its negative; for a truth value, yield its opposite."""
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        numbers = {node.value + 1, node.value - 1, -node.value} - {node.value}
        yield from map(ast.Constant, sorted(numbers))


def other_calls(node: Any) -> Iterator[Any]:
    """Yield other calls, and parts that may replace the call: its object, or its only argument."""
    function, arguments = node.func, node.args
    name = getattr(function, 'id', getattr(function, 'attr', ''))
    if len(arguments) == 1:
        yield arguments[0]
    elif arguments:
        for other in [arguments[::-1], *without_each(arguments)]:
            yield with_fields(node, args=other)
    if name == 'range' and arguments:
        yield from other_ranges(node)
    if isinstance(function, ast.Attribute):
        yield function.value
    if name in OTHER_FUNCTIONS:
        field = 'id' if isinstance(function, ast.Name) else 'attr'
        yield with_fields(node, func=with_fields(function, **{field: OTHER_FUNCTIONS[name]}))


def other_ranges(node: Any) -> Iterator[Any]:
    """Yield calls of `range` that end one later or earlier, or begin at 1 instead of 0."""
    end = min(1, len(node.args) - 1)
    later, earlier = shifted(node.args[end])
    for other in (later, earlier):
        yield with_fields(node, args=replaced(node.args, end, other))
    if not end:
        for other in (node.args[0], later):
            yield with_fields(node, args=[ast.Constant(1), other])


def other_items(node: Any) -> Iterator[Any]:
    """Yield a pair with its items exchanged."""
    if len(node.elts) == 2:
        yield with_fields(node, elts=node.elts[::-1])


def other_indexes(node: Any) -> Iterator[Any]:
    """Yield `grid[a][b]` as `grid[b][a]`, and an item with its index shifted by 1."""
    if isinstance(node.value, ast.Subscript):
        yield with_fields(
            node, slice=node.value.slice, value=with_fields(node.value, slice=node.slice)
        )
    if isinstance(node.ctx, ast.Load) and not isinstance(node.slice, (ast.Slice, *INDEXES)):
        yield from (with_fields(node, slice=other) for other in shifted(node.slice))


def other_bounds(node: Any) -> Iterator[Any]:
    """Yield a slice without one of its bounds, or with another bound."""
    for bound in ('lower', 'upper'):
        number = getattr(node, bound)
        new = [None, *shifted(number)] if number else [ast.Constant(1)]
        for other in new:
            yield with_fields(node, **{bound: other})


VARIATIONS: dict[type, Callable[[Any], Iterator[Any]]] = {
    ast.Compare: other_comparisons,
    ast.BoolOp: other_conditions,
    ast.BinOp: other_sums,
    ast.Constant: other_numbers,
    ast.Call: other_calls,
    ast.Tuple: other_items,
    ast.List: other_items,
    ast.Subscript: other_indexes,
    ast.Slice: other_bounds,
    ast.UnaryOp: lambda node: iter([node.operand]),
    ast.IfExp: lambda node: iter([node.orelse, node.body]),
}


def is_repeatable(node: Any) -> bool:
    """Return whether a statement is of a kind often missing elsewhere.

    Such a statement sets something, calls something, or is an `if` with a jump at its beginning.
    """
    if isinstance(node, ast.If):
        return isinstance(node.body[0], JUMPS)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, (ast.Assign, ast.AugAssign))


def shape_of(node: Any) -> Any:
    """Return a key for comparing pieces of code regardless of layout and position.

    Like `ast.dump`, but without its imports: the program may have modules with the same names.
    """
    if isinstance(node, ast.AST):
        return type(node), *(shape_of(value) for _, value in ast.iter_fields(node))
    return tuple(map(shape_of, node)) if isinstance(node, list) else repr(node)


def target_of(node: Any) -> Any:
    """Return the first target of an assignment."""
    return node.target if isinstance(node, ast.AugAssign) else node.targets[0]


def other_statements(statement: Any, is_in_loop: bool) -> Iterator[Any]:
    """Yield replacements for a statement: none at all, another jump, another value or operator.

    `=` is exchanged with `+=` and similar operators.
    """
    yield ast.Pass()
    if isinstance(statement, ast.Break):
        yield ast.Continue()
    elif isinstance(statement, ast.Continue):
        yield ast.Break()
    elif isinstance(statement, ast.Return):
        for value in (True, False, None):
            yield ast.Return(ast.Constant(value))
        if is_in_loop:
            yield ast.Continue()
    elif isinstance(statement, ast.AugAssign):
        yield ast.Assign([statement.target], statement.value)
        for other in OPERATORS.get(type(statement.op), []):
            yield with_fields(statement, op=other())
    elif isinstance(statement, ast.Assign):
        if not is_shallow_copy(statement.value):
            yield with_fields(statement, value=copied(statement.value))
        if isinstance(statement.value, ast.Call):  # a generator can be used only once
            all_of_it = ast.Call(ast.Name('list', ast.Load()), [statement.value], [])
            yield with_fields(statement, value=all_of_it)
        if isinstance(statement.targets[0], VARIABLES):
            yield ast.AugAssign(statement.targets[0], ast.Add(), statement.value)


class Changes:
    """All possible changes to one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, 'rb') as source:
            self.tree = ast.parse(source.read())
        # The code of each top-level statement; only a changed statement must be compiled again.
        self.plain = [self._compiled(statement) for statement in self.tree.body]
        self.edits: list[Edit] = []
        self._index = 0  # the index of the current top-level statement
        nodes = [*ast.walk(self.tree)]
        # The strings in the file.
        self._texts = sorted(
            {
                node.value
                for node in nodes
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
        )
        # Names never to replace: those of built-in objects, and of the file's functions and
        # classes.
        self._fixed = {
            *dir(builtins),
            *(node.name for node in nodes if isinstance(node, DEFINITIONS)),
        }
        # Assignments of constant values. If a function fails to reset a variable, such an
        # assignment is often in another function.
        setting = [node for node in nodes if isinstance(node, (ast.Assign, ast.AugAssign))]
        self._starts = [
            node
            for node in setting
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], (ast.Name, ast.Attribute))
            and not any(
                isinstance(part, (ast.Name, ast.Attribute)) for part in ast.walk(node.value)
            )
        ]
        # The shapes of the assignments in `_starts`, if their targets also change elsewhere. These
        # are mostly counters.
        changed = {shape_of(target_of(node)) for node in setting if node not in self._starts}
        self._counts = {
            shape_of(node) for node in self._starts if shape_of(target_of(node)) in changed
        }
        # For each function or module: the statements that may be missing elsewhere in it, by shape.
        self._repeatable: dict[Any, dict[Any, Any]] = {}
        self._add_blocks(self.tree, self.tree, False)

    def _compiled(self, *statements: ast.stmt) -> types.CodeType:
        return compile(ast.Module([*statements], []), self.path, 'exec')

    def codes(self, number: int) -> list[types.CodeType]:
        """Return the code of the file with the change `edits[number]`, in pieces.

        Return [] if it does not compile.
        """
        index, *_, node, field, new = self.edits[number]
        old = getattr(node, field)
        try:
            setattr(node, field, placed(new, node))
            if node is self.tree:
                return [self._compiled(*self.tree.body)]
            return replaced(self.plain, index, self._compiled(self.tree.body[index]))
        except (SyntaxError, TypeError, ValueError, RecursionError):
            return []
        finally:
            setattr(node, field, old)

    def _add_blocks(self, owner: Any, scope: Any, is_in_loop: bool) -> None:
        """Add the changes to the statements in the blocks of `owner`, a statement or the module.

        `scope` is the function or module around these statements.
        """
        for field in BLOCKS:
            block = getattr(owner, field, None)
            if not isinstance(block, list):
                continue
            for index, statement in enumerate(block):
                if owner is self.tree:
                    self._index = index
                if not isinstance(statement, (*LEFT_ALONE, ast.ExceptHandler)):
                    self._add_whole(owner, field, index, is_in_loop)
                    self._add_order(owner, field, index)
                    self._add_missing(owner, field, index, scope, is_in_loop)
                    self._add_parts(statement, statement, scope)
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._add_defaults(statement)
                    self._add_blocks(statement, statement, False)
                    continue
                if isinstance(statement, ast.ClassDef):
                    self._add_attributes(statement)
                self._add_blocks(statement, scope, is_in_loop or isinstance(statement, LOOPS))

    def _add(
        self,
        statement: Any,
        node: Any,
        field: str,
        new: object,
        round_: int = 0,
        is_deep: bool = False,
    ) -> None:
        self.edits.append((self._index, statement.lineno, round_, is_deep, node, field, new))

    def _add_whole(self, owner: Any, field: str, index: int, is_in_loop: bool) -> None:
        """Add replacements for a statement, and for the condition in it."""
        block = getattr(owner, field)
        statement = block[index]
        for other in other_statements(statement, is_in_loop):
            self._add(statement, owner, field, replaced(block, index, other))
        if isinstance(statement, (ast.If, ast.While)):
            self._add(statement, statement, 'test', ast.UnaryOp(ast.Not(), statement.test))
            self._add(statement, statement, 'test', ast.Constant(False))
        if isinstance(statement, ast.If):
            self._add(statement, statement, 'test', ast.Constant(True))

    def _add_order(self, owner: Any, field: str, index: int) -> None:
        """Add moves: of a statement after the next one, and into or out of blocks.

        For example, the statements after an `if` move into it or into its `else`, and a statement
        in a loop moves before the loop.
        """
        block = getattr(owner, field)
        statement, rest = block[index], block[index + 1 :]

        def put(changed: Any, *new: Any, end: int = index + 1) -> None:
            """Add a change that puts `new` in place of the statements from `index` to `end` - 1."""
            self._add(changed, owner, field, [*block[:index], *new, *block[end:]])

        if isinstance(statement, ast.If) and statement.orelse:
            put(statement.orelse[0], with_fields(statement, orelse=[]), *statement.orelse)
        elif isinstance(statement, ast.If) and rest:
            put(rest[0], with_fields(statement, orelse=rest), end=len(block))
            put(rest[0], with_fields(statement, orelse=rest[:1]), end=index + 2)
        if rest and not isinstance(statement, JUMPS) and not isinstance(rest[0], LEFT_ALONE):
            put(statement, rest[0], statement, end=index + 2)
        inner = getattr(statement, 'body', [])
        if not inner:
            return
        for number in range(1, NEAR + 1):
            if number < len(inner):  # the last statements move out
                put(inner[-number], with_fields(statement, body=inner[:-number]), *inner[-number:])
            if number <= len(rest):  # the next statements move in
                longer = with_fields(statement, body=[*inner, *rest[:number]])
                put(rest[0], longer, end=index + 1 + number)
            if number <= len(inner) and isinstance(statement, LOOPS):  # one moves before the loop
                moved = inner[number - 1]
                shorter = with_fields(statement, body=replaced(inner, number - 1, ast.Pass()))
                put(moved, moved, shorter)

    def _add_defaults(self, function: Any) -> None:
        """Add a copy of each parameter with a mutable default, because calls share the default."""
        arguments = function.args
        for argument, default in zip(arguments.args[::-1], arguments.defaults[::-1]):
            if not isinstance(default, (ast.Constant, ast.Name, ast.Attribute)):
                copy_it = ast.Assign(
                    [ast.Name(argument.arg, ast.Store())],
                    copied(ast.Name(argument.arg, ast.Load())),
                )
                self._add(function, function, 'body', [copy_it, *function.body])

    def _add_attributes(self, owner: Any) -> None:
        """Add to `__init__` an assignment of each attribute that all objects of the class share."""
        starts = [node for node in owner.body if getattr(node, 'name', '') == '__init__']
        assignments = [node for node in owner.body if isinstance(node, ast.Assign)]
        for start, shared in product(starts, assignments):
            if isinstance(shared.targets[0], ast.Name):
                own = ast.Attribute(ast.Name('self', ast.Load()), shared.targets[0].id, ast.Store())
                self._add(shared, start, 'body', [ast.Assign([own], shared.value), *start.body])

    def _add_missing(
        self, owner: Any, field: str, index: int, scope: Any, is_in_loop: bool
    ) -> None:
        """Add statements that may be missing after a statement, or at the start of a block."""
        block = getattr(owner, field)
        statement = block[index]
        if isinstance(statement, JUMPS):
            return
        if is_in_loop:
            for jump in (ast.Break(), ast.Continue()):
                self._add(statement, owner, field, replaced(block, index, statement, jump), 1)
        counts, near = self._repeatable_near(statement, scope)
        for round_, statements in ((0, counts), (1, near[:MAX_MISSING])):
            for new in statements:
                self._add(statement, owner, field, replaced(block, index, statement, new), round_)
                if index == 0 and not isinstance(new, JUMPS):
                    self._add(statement, owner, field, [new, *block], round_)

    def _repeatable_near(self, statement: Any, scope: Any) -> tuple[list[Any], list[Any]]:
        """Return the statements that may be missing here: those that set counters, and the others.

        In both lists, the statements nearest to the given statement come first.
        """
        if scope not in self._repeatable:
            self._repeatable[scope] = {
                shape_of(other): other
                for other in [*self._starts, *filter(is_repeatable, ast.walk(scope))]
            }
        own = shape_of(statement)
        counts, rest = [], []
        for shape, other in self._repeatable[scope].items():
            if shape in self._counts and shape != own:
                counts.append(other)
            elif shape != own:
                rest.append(other)
        for found in (counts, rest):
            found.sort(key=lambda other: abs(other.lineno - statement.lineno))
        return counts, rest

    def _add_parts(self, node: Any, statement: Any, scope: Any) -> None:
        """Add replacements for each expression in a statement."""
        for field, value in ast.iter_fields(node):
            if field in NO_PARTS:
                continue
            items = value if isinstance(value, list) else [value]
            for index, part in enumerate(items):
                if not isinstance(part, ast.AST) or isinstance(part, ast.stmt):
                    continue

                def add(other: Any, round_: int, is_deep: bool = False) -> None:
                    new = replaced(items, index, other) if isinstance(value, list) else other
                    self._add(statement, node, field, new, round_, is_deep)

                if type(part) in VARIATIONS:
                    for other in VARIATIONS[type(part)](part):
                        add(other, 0)
                if is_shallow_copy(part):
                    add(copied(part), 0, is_deep=True)
                elif field == 'args' and isinstance(part, (ast.Name, ast.Attribute)):
                    add(copied(part), 0)
                for other in self._alike(part, scope):
                    add(other, 2)
                self._add_parts(part, statement, scope)

    def _alike(self, node: Any, scope: Any) -> Iterator[Any]:
        """Yield, for a string, other strings of the same length; and for a name, other names.

        A comparison of a name is combined with the same comparison of another name: `x > 0` becomes
        `x > 0 or y > 0`.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for text in self._texts:
                if len(text) == len(node.value) and text != node.value:
                    yield ast.Constant(text)
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            for left in self._alike(node.left, scope):
                for operator in (ast.Or(), ast.And()):
                    yield ast.BoolOp(operator, [node, with_fields(node, left=left)])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._other_names(node, 'id', scope)
        elif isinstance(node, ast.Attribute):
            yield from self._other_names(node, 'attr', scope)

    def _other_names(self, node: Any, field: str, scope: Any) -> Iterator[Any]:
        """Yield copies of a name or attribute with other names near it in `scope`."""
        own_name = getattr(node, field)
        if own_name in self._fixed:
            return
        near: list[Any] = [other for other in ast.walk(scope) if type(other) is type(node)]
        near.sort(key=lambda other: abs(other.lineno - node.lineno))
        names = dict.fromkeys(getattr(other, field) for other in near)
        free = [name for name in names if name not in self._fixed]
        for name in free[:MAX_NAMES]:
            if name != own_name:
                yield with_fields(node, **{field: name})


def placed(new: Any, old: Any) -> Any:
    """Return the replacement for a field's value, with a position in the file."""
    line = getattr(old, 'lineno', 1)
    nodes: list[Any] = new if isinstance(new, list) else [new]
    for node in nodes:
        if isinstance(node, ast.AST) and not hasattr(node, 'lineno'):
            vars(node).update(lineno=line, end_lineno=line, col_offset=0, end_col_offset=0)
        if isinstance(node, ast.AST):
            ast.fix_missing_locations(node)
    return new


class WrongOutput(BaseException):
    """Ends a run that has printed too much, or something other than the required beginning."""


class CheckedOutput(io.BytesIO):
    """Standard output in memory; it ends the run as soon as the output is wrong or too long."""

    def __init__(self, right: bytes, most: int) -> None:
        super().__init__()
        self._right, self._most = right, most

    def write(self, content: Any) -> int:
        size = super().write(content)
        output = self.getvalue()
        if len(output) > self._most or output[: len(self._right)] != self._right[: len(output)]:
            raise WrongOutput
        return size


def play(
    program: Sequence[types.CodeType],
    root: str,
    changes: Sequence[tuple[Changes, int] | None],
    request: tuple[bytes, bytes, float, int],
    answers: int,
    progress: int,
) -> None:
    """Run a program with each change, or None for no change, and write the answers.

    After each run, write a byte to `progress`. If a run takes too long, a signal ends this process.
    """
    typed, right, seconds, most = request
    for timer in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(timer, signal.SIG_DFL)
    for change in changes:
        changed = {}
        if change:
            file, number = change
            changed[file.path] = file.codes(number)
        can_run = all(changed.values())  # false if the changed code does not compile
        status, output = FAILED, CheckedOutput(right, most)
        start = time.process_time()
        if can_run:
            # Let the program import its own modules again.
            for name, module in [*sys.modules.items()]:
                if (getattr(module, '__file__', None) or '').startswith(root):
                    del sys.modules[name]
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, REAL_TIME * seconds)
            status = run(program, changed, typed, output)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        content = output.getvalue()
        rest = content[len(right) : most] if content.startswith(right) else b''
        used = (time.process_time() - start) * 1_000_000
        os.write(answers, b'%d %d %d\n%s' % (status, len(rest), used, rest))
        os.write(progress, b'.')


def run(
    program: Sequence[types.CodeType],
    changed: dict[str, list[types.CodeType]],
    typed: bytes,
    output: CheckedOutput,
) -> int:
    """Run a program with the given code for its `changed` files.

    Return its exit status, or `FAILED` if its last output is wrong or too long.
    """

    def exec_module(loader: Any, module: Any) -> None:
        for code in changed.get(loader.path) or [loader.get_code(module.__name__)]:
            exec(code, vars(module))

    SourceFileLoader.exec_module = exec_module  # type: ignore
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    vars(main).update(__builtins__=builtins, __file__=sys.argv[0])
    sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(typed)), io.TextIOWrapper(output)
    status = 0
    try:
        for code in changed.get(sys.argv[0]) or program:
            exec(code, vars(main))
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        status = 1
    try:
        sys.stdout.flush()
    except BaseException:
        status = FAILED
    return status


def answer(root: str, *words: str) -> None:
    """Read requests, and write the answers."""
    requests, answers = os.fdopen(os.dup(0), 'rb'), os.dup(1)
    sys.argv = [os.path.realpath(words[0]), *words[1:]]
    folder = os.path.dirname(sys.argv[0])
    if HAS_FOLDER:
        sys.path.insert(0, folder)
    root = os.path.realpath(root or folder)
    files = [
        Changes(os.path.join(root, file)) for file in ast.literal_eval(requests.readline().decode())
    ]
    program = {file.path: file for file in files}.get(sys.argv[0]) or Changes(sys.argv[0])
    numbers, listed = [], []
    for index, file in enumerate(files):
        for number, (_, line, round_, is_deep, *_) in enumerate(file.edits):
            numbers.append((file, number))
            listed.append(b'%d %d %d %d\n' % (index, line, round_, is_deep))
    os.write(answers, b''.join(listed) + b'\n')
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for asked in requests:
        *request, chosen = ast.literal_eval(asked.decode())
        changes = [numbers[number] if number >= 0 else None for number in chosen]
        while changes:
            reading, writing = os.pipe()
            process = os.fork()
            if not process:
                play(program.plain, root, changes[:MAX_RUNS], request, answers, writing)
                os._exit(0)
            os.close(writing)
            os.waitpid(process, 0)
            done = len(os.read(reading, MAX_RUNS))
            os.close(reading)
            if done < len(changes[:MAX_RUNS]):  # a run took too long, or ended the process
                os.write(answers, b'%d 0 0\n' % FAILED)
                done += 1
            del changes[:done]


answer(*sys.argv[1:])
