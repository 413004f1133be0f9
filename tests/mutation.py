"""Mutation: every small change to a Python source, one at a time."""

from __future__ import annotations

import ast
import copy
from functools import singledispatch

OPERATORS = {
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq, ast.LtE, ast.GtE], ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn], ast.NotIn: [ast.In], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is],
    ast.And: [ast.Or], ast.Or: [ast.And],
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Add], ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd, ast.BitXor],
    ast.BitXor: [ast.BitOr, ast.BitAnd], ast.LShift: [ast.RShift], ast.RShift: [ast.LShift],
}
NAMES = {'any': 'all', 'all': 'any', 'min': 'max', 'max': 'min', 'B': 'W', 'W': 'B'}


class Mutant:
    """One change: the tree with it, the line of the statement and the function where it is."""

    def __init__(self, tree, place, before, after):
        self.tree = tree                # changed only until the next mutant is asked for
        self.line = place.statement.lineno
        self._place, self._before, self._after = place, before, after

    def __str__(self):
        return f'{self._place.function}: {self._before} -> {shown(self._after)}'


class Place:
    """Where a node may be changed: what holds it by which key, the statement, the function."""

    def __init__(self, holder, key, statement, function):
        self.holder = holder
        self.key = key
        self.statement = statement
        self.function = function

    @property
    def node(self):
        return (self.holder[self.key] if isinstance(self.holder, list)
                else getattr(self.holder, self.key))

    def put(self, node):
        if isinstance(self.holder, list):
            self.holder[self.key] = node
        else:
            setattr(self.holder, self.key, node)


def shown(statement):
    """Return a statement on one line; of a block, its first line."""
    lines = [line for line in ast.unparse(statement).split('\n') if not line.startswith('@')]
    return lines[0] + (' ...' if len(lines) > 1 else '')


def mutants(source):
    """Yield the mutants of a source, in the order of its text."""
    tree = ast.parse(source)
    for place in list(places(tree, None, 'module')):
        node, before = place.node, shown(place.statement)
        for changed in [*deletion(node), *alternatives(node)]:
            ast.fix_missing_locations(ast.copy_location(changed, node))
            place.put(changed)
            is_all = node is place.statement
            yield Mutant(tree, place, before, changed if is_all else place.statement)
        place.put(node)


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
        for holder, key, child in ([(value, i, item) for i, item in enumerate(value)]
                                   if isinstance(value, list) else [(node, name, value)]):
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


def deletion(node):
    """Return what takes the place of a statement that is deleted."""
    return [ast.Pass()] if isinstance(node, ast.stmt) and not isinstance(node, ast.Pass) else []


@singledispatch
def alternatives(node):
    """Return what a node may become."""
    return []


def varied(node, **changes):
    """Return a copy of a node with other fields."""
    node = copy.copy(node)
    for name, value in changes.items():
        setattr(node, name, value)
    return node


def without_each(items):
    """Yield a list without each of its items in turn."""
    for i in range(len(items)):
        yield items[:i] + items[i + 1:]


@alternatives.register(ast.Compare)
def of_compare(node):
    for i, operator in enumerate(node.ops):
        for other in OPERATORS[type(operator)]:
            yield varied(node, ops=[*node.ops[:i], other(), *node.ops[i + 1:]])


@alternatives.register(ast.BoolOp)
def of_bool_op(node):
    yield varied(node, op=OPERATORS[type(node.op)][0]())
    for values in without_each(node.values):
        yield varied(node, values=values) if len(values) > 1 else values[0]


@alternatives.register(ast.BinOp)
def of_bin_op(node):
    for other in OPERATORS.get(type(node.op), []):
        yield varied(node, op=other())
    if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
        yield node.left
        yield node.right


@alternatives.register(ast.AugAssign)
def of_aug_assign(node):
    for other in OPERATORS.get(type(node.op), []):
        yield varied(node, op=other())
    yield ast.Assign([node.target], node.value)


@alternatives.register(ast.UnaryOp)
def of_unary_op(node):
    yield node.operand


@alternatives.register(ast.Constant)
def of_constant(node):
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node.value, str):
        yield ast.Constant(NAMES.get(node.value, node.value + '?'))
        if node.value:
            yield ast.Constant(node.value[1:])


@alternatives.register(ast.List)
@alternatives.register(ast.Set)
@alternatives.register(ast.Tuple)
def of_tuple(node):
    if isinstance(getattr(node, 'ctx', ast.Load()), ast.Load):
        for items in without_each(node.elts):
            yield varied(node, elts=items)


@alternatives.register(ast.If)
def of_if(node):
    for value in (True, False):
        yield varied(node, test=ast.Constant(value))


@alternatives.register(ast.While)
def of_while(node):
    if not isinstance(node.test, ast.Constant):
        yield varied(node, test=ast.Constant(True))


@alternatives.register(ast.IfExp)
def of_if_exp(node):
    yield node.body
    yield node.orelse


@alternatives.register(ast.comprehension)
def of_comprehension(node):
    for conditions in without_each(node.ifs):
        yield varied(node, ifs=conditions)


@alternatives.register(ast.Call)
def of_call(node):
    if isinstance(node.func, ast.Name) and node.func.id in NAMES:
        yield varied(node, func=ast.Name(NAMES[node.func.id], ast.Load()))
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    if len(node.args) > 1:
        for arguments in without_each(node.args):
            yield varied(node, args=arguments)
        yield varied(node, args=node.args[::-1])


@alternatives.register(ast.Slice)
def of_slice(node):
    for bound in ('lower', 'upper', 'step'):
        if getattr(node, bound):
            yield varied(node, **{bound: None})


@alternatives.register(ast.Return)
def of_return(node):
    if node.value:
        yield varied(node, value=None)


@alternatives.register(ast.Break)
def of_break(node):
    yield ast.Continue()


@alternatives.register(ast.Continue)
def of_continue(node):
    yield ast.Break()


@alternatives.register(ast.Lambda)
def of_lambda(node):
    yield varied(node, body=ast.Constant(None))
