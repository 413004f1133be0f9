"""Make every small change to a Python source, one at a time."""

import ast
import copy
from collections import namedtuple

MODEL = 'grading/games/model.py'
# The programs that `make mutants` changes, and their files; the last file of each is run.
FILES = {
    'Othello': ['othello_logic.py', 'othello_console.py'],
    'Nim': ['nim_logic.py', 'nim_console.py'],
    'model of Othello': [MODEL, 'grading/games/othello/model.py'],
    'models of Nim': [MODEL, 'grading/games/nim/model.py'],
}
# For each operator, those that replace it.
OPERATORS = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq, ast.LtE, ast.GtE],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd, ast.BitXor],
    ast.BitXor: [ast.BitOr, ast.BitAnd],
    ast.LShift: [ast.RShift],
    ast.RShift: [ast.LShift],
}
# For some functions and strings, what replaces them.
NAMES = {'any': 'all', 'all': 'any', 'min': 'max', 'max': 'min', 'B': 'W', 'W': 'B'}


class Mutant:
    """A change: the changed tree, and the line of the changed statement."""

    def __init__(self, tree, place, before, after):
        self.tree = tree  # has the change only until the next mutant is made
        self.line = place.statement.lineno
        self._place, self._before, self._after = place, before, after

    def __str__(self):
        return f'{self._place.function}: {self._before} -> {first_line(self._after)}'


# Where a node is: `holder[key]`, in a statement, in a function.
Place = namedtuple('Place', 'holder key statement function')


def first_line(statement):
    """Return the first line of a statement, after its decorators; dots stand for the other lines."""
    lines = [line for line in ast.unparse(statement).split('\n') if not line.startswith('@')]
    return lines[0] + (' ...' if len(lines) > 1 else '')


def mutants(source):
    """Yield the mutants of a source, in the order of its text."""
    tree = ast.parse(source)
    for place in list(places(tree, None, 'module')):
        node, before = place.holder[place.key], first_line(place.statement)
        for changed in alternatives(node):
            ast.fix_missing_locations(ast.copy_location(changed, node))
            place.holder[place.key] = changed
            after = changed if node is place.statement else place.statement
            yield Mutant(tree, place, before, after)
        place.holder[place.key] = node


class Marker(ast.NodeTransformer):
    """Inserts, before each statement, code that adds the statement's line to a set `reached`.

    A `try` statement also adds the lines of its `except` clauses.
    """

    def visit(self, node):
        self.generic_visit(node)
        if not isinstance(node, ast.stmt) or is_left_alone(node):
            return node
        lines = [part.lineno for part in (node, *getattr(node, 'handlers', []))]
        mark = ast.parse(f'reached.update({lines})').body[0]
        return [ast.fix_missing_locations(ast.copy_location(mark, node)), node]


def marked(source):
    """Compile a source so that it collects the lines it executes in a set `reached`."""
    return compile(Marker().visit(ast.parse(source)), 'marked', 'exec')


def places(node, statement, function):
    """Yield the places of all nodes below a node, which is itself in this statement and function."""
    for name, value in ast.iter_fields(node):
        if name in ('annotation', 'returns', 'type_ignores', 'ctx', 'op', 'decorator_list'):
            continue
        if isinstance(value, list):
            children = [(value, i, item) for i, item in enumerate(value)]
        else:
            children = [(vars(node), name, value)]
        for holder, key, child in children:
            if not isinstance(child, ast.AST) or is_left_alone(child):
                continue
            here = child if isinstance(child, (ast.stmt, ast.ExceptHandler)) else statement
            inside = function
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                inside = child.name if function == 'module' else f'{function}.{child.name}'
            else:
                yield Place(holder, key, here, function)
            yield from places(child, here, inside)


def is_left_alone(node):
    """Return whether a node is never changed: an import, a docstring, or a block that no test runs.

    Such blocks are `if TYPE_CHECKING:`, and the one that starts a program.
    """
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test).startswith(('TYPE_CHECKING', '__name__'))
    return isinstance(node, (ast.Import, ast.ImportFrom))


def alternatives(node):
    """Yield the nodes that replace a node; for a statement, the first is `pass`."""
    if isinstance(node, ast.stmt) and not isinstance(node, ast.Pass):
        yield ast.Pass()
    yield from ALTERNATIVES.get(type(node), lambda node: ())(node)


def copy_with(node, **changes):
    """Return a copy of a node with some fields changed."""
    node = copy.copy(node)
    vars(node).update(changes)
    return node


def without_each(items):
    """Return all copies of a list that lack one of its items."""
    return [items[:i] + items[i + 1 :] for i in range(len(items))]


def other_operators(node):
    """Return copies of a node with other operators."""
    return [copy_with(node, op=other()) for other in OPERATORS.get(type(node.op), [])]


def other_constants(node):
    """Return the constants that replace a constant."""
    value = node.value
    if isinstance(value, bool):
        return [ast.Constant(not value)]
    if isinstance(value, int):
        return [ast.Constant(value + 1), ast.Constant(value - 1)]
    if isinstance(value, str) and value:
        return [ast.Constant(NAMES.get(value, value + '?')), ast.Constant(value[1:])]
    if value == '':
        return [ast.Constant('?')]
    return []


def other_calls(node):
    """Return what replaces a call: another function, the object of a method, other arguments."""
    called, arguments = node.func, node.args
    others = []
    if isinstance(called, ast.Name) and called.id in NAMES:
        others.append(copy_with(node, func=ast.Name(NAMES[called.id], ast.Load())))
    if isinstance(called, ast.Attribute):
        others.append(called.value)
    if len(arguments) > 1:
        others += [
            copy_with(node, args=changed) for changed in [*without_each(arguments), arguments[::-1]]
        ]
    return others


# For each type of node, a function that returns the nodes that replace it.
ALTERNATIVES = {
    ast.Compare: lambda node: [
        copy_with(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
        for i, operator in enumerate(node.ops)
        for other in OPERATORS[type(operator)]
    ],
    ast.BoolOp: lambda node: [
        *other_operators(node),
        *(
            copy_with(node, values=values) if len(values) > 1 else values[0]
            for values in without_each(node.values)
        ),
    ],
    ast.BinOp: lambda node: [
        *other_operators(node),
        *([] if isinstance(getattr(node.left, 'value', None), str) else [node.left, node.right]),
    ],
    ast.AugAssign: lambda node: [*other_operators(node), ast.Assign([node.target], node.value)],
    ast.UnaryOp: lambda node: [node.operand],
    ast.Constant: other_constants,
    **dict.fromkeys(
        [ast.List, ast.Set, ast.Tuple],
        lambda node: [
            copy_with(node, elts=items)
            for items in without_each(node.elts)
            if isinstance(getattr(node, 'ctx', ast.Load()), ast.Load)
        ],
    ),
    ast.If: lambda node: [copy_with(node, test=ast.Constant(value)) for value in (True, False)],
    ast.While: lambda node: (
        [] if isinstance(node.test, ast.Constant) else [copy_with(node, test=ast.Constant(True))]
    ),
    ast.IfExp: lambda node: [node.body, node.orelse],
    ast.comprehension: lambda node: [
        copy_with(node, ifs=conditions) for conditions in without_each(node.ifs)
    ],
    ast.Call: other_calls,
    ast.Slice: lambda node: [
        copy_with(node, **{bound: None})
        for bound in ('lower', 'upper', 'step')
        if getattr(node, bound)
    ],
    ast.Return: lambda node: [copy_with(node, value=None)] if node.value else [],
    ast.Break: lambda node: [ast.Continue()],
    ast.Continue: lambda node: [ast.Break()],
    ast.Lambda: lambda node: [copy_with(node, body=ast.Constant(None))],
}
