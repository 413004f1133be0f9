"""Mutation: every small change to a Python source, one at a time."""

import ast
import copy
from collections import namedtuple

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
NAMES = {'any': 'all', 'all': 'any', 'min': 'max', 'max': 'min', 'B': 'W', 'W': 'B'}


class Mutant:
    """One change: the tree with it, the line of the statement and the function where it is."""

    def __init__(self, tree, place, before, after):
        self.tree = tree  # changed only until the next mutant is asked for
        self.line = place.statement.lineno
        self._place, self._before, self._after = place, before, after

    def __str__(self):
        return f'{self._place.function}: {self._before} -> {shown(self._after)}'


# Where a node may be changed: what holds it by which key, the statement, the function.
Place = namedtuple('Place', 'holder key statement function')


def shown(statement):
    """Return a statement on one line; of a block, its first line."""
    lines = [line for line in ast.unparse(statement).split('\n') if not line.startswith('@')]
    return lines[0] + (' ...' if len(lines) > 1 else '')


def mutants(source):
    """Yield the mutants of a source, in the order of its text."""
    tree = ast.parse(source)
    for place in list(places(tree, None, 'module')):
        node, before = place.holder[place.key], shown(place.statement)
        for changed in alternatives(node):
            ast.fix_missing_locations(ast.copy_location(changed, node))
            place.holder[place.key] = changed
            is_all = node is place.statement
            yield Mutant(tree, place, before, changed if is_all else place.statement)
        place.holder[place.key] = node


class Marker(ast.NodeTransformer):
    """Adds the line of each statement to a set `reached`, just before it is executed.

    With a `try` come the lines of its `except` clauses.
    """

    def visit(self, node):
        self.generic_visit(node)
        if not isinstance(node, ast.stmt) or is_left_alone(node):
            return node
        lines = [part.lineno for part in (node, *getattr(node, 'handlers', []))]
        mark = ast.parse(f'reached.update({lines})').body[0]
        return [ast.fix_missing_locations(ast.copy_location(mark, node)), node]


def marked(source):
    """Return the code of a source that tells the lines it reaches."""
    return compile(Marker().visit(ast.parse(source)), 'marked', 'exec')


def places(node, statement, function):
    """Yield the places in a node."""
    for name, value in ast.iter_fields(node):
        if name in ('annotation', 'returns', 'type_ignores', 'ctx', 'op', 'decorator_list'):
            continue
        for holder, key, child in (
            [(value, i, item) for i, item in enumerate(value)]
            if isinstance(value, list)
            else [(vars(node), name, value)]
        ):
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
    """Return whether a node is an import, a docstring, or a block for readers or starters."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test).startswith(('TYPE_CHECKING', '__name__'))
    return isinstance(node, (ast.Import, ast.ImportFrom))


def alternatives(node):
    """Yield what a node may become: a statement first nothing at all."""
    if isinstance(node, ast.stmt) and not isinstance(node, ast.Pass):
        yield ast.Pass()
    yield from VARIED.get(type(node), lambda node: ())(node)


def varied(node, **changes):
    """Return a copy of a node with other fields."""
    node = copy.copy(node)
    vars(node).update(changes)
    return node


def without_each(items):
    """Return a list without each of its items in turn."""
    return [items[:i] + items[i + 1 :] for i in range(len(items))]


def other_operators(node):
    """Return a node with each operator that may stand in place of its own."""
    return [varied(node, op=other()) for other in OPERATORS.get(type(node.op), [])]


def other_constants(node):
    """Return the constants that may stand in place of one."""
    value = node.value
    if isinstance(value, bool):
        return [ast.Constant(not value)]
    if isinstance(value, int):
        return [ast.Constant(value + 1), ast.Constant(value - 1)]
    if isinstance(value, str):
        return [
            ast.Constant(text)
            for text in [NAMES.get(value, value + '?'), value[1:]][: 2 if value else 1]
        ]
    return []


def other_calls(node):
    """Return a call of another name, of none, and with other arguments."""
    called, arguments = node.func, node.args
    return [
        *[
            varied(node, func=ast.Name(NAMES[called.id], ast.Load()))
            for _ in range(isinstance(called, ast.Name) and called.id in NAMES)
        ],
        *[called.value for _ in range(isinstance(called, ast.Attribute))],
        *[
            varied(node, args=others)
            for others in [*without_each(arguments), arguments[::-1]]
            if len(arguments) > 1
        ],
    ]


VARIED = {  # what a node of each kind may become
    ast.Compare: lambda node: [
        varied(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
        for i, operator in enumerate(node.ops)
        for other in OPERATORS[type(operator)]
    ],
    ast.BoolOp: lambda node: [
        *other_operators(node),
        *(
            varied(node, values=values) if len(values) > 1 else values[0]
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
            varied(node, elts=items)
            for items in without_each(node.elts)
            if isinstance(getattr(node, 'ctx', ast.Load()), ast.Load)
        ],
    ),
    ast.If: lambda node: [varied(node, test=ast.Constant(value)) for value in (True, False)],
    ast.While: lambda node: (
        [] if isinstance(node.test, ast.Constant) else [varied(node, test=ast.Constant(True))]
    ),
    ast.IfExp: lambda node: [node.body, node.orelse],
    ast.comprehension: lambda node: [
        varied(node, ifs=conditions) for conditions in without_each(node.ifs)
    ],
    ast.Call: other_calls,
    ast.Slice: lambda node: [
        varied(node, **{bound: None})
        for bound in ('lower', 'upper', 'step')
        if getattr(node, bound)
    ],
    ast.Return: lambda node: [varied(node, value=None)] if node.value else [],
    ast.Break: lambda node: [ast.Continue()],
    ast.Continue: lambda node: [ast.Break()],
    ast.Lambda: lambda node: [varied(node, body=ast.Constant(None))],
}
