"""The evaluator and Python agree on programs whose values are all known."""

# ruff: noqa: E501 -- the programs are data

from __future__ import annotations

import pytest
from evaluation import by_python, program

SNIPPETS = {
    "arithmetic": "def f(): return 7 // 2, -7 // 2, -7 % 3, 2 ** 10, 7 / 2, 1 << 4, 6 & 3, 6 | 1, 6 ^ 2, ~5, -3, +4",
    "comparison chain": "def f(): return [1 < x < 3 for x in range(5)], 1 < 2 < 2, 3 > 2 != 1",
    "boolean values": "def f(): return 0 or 'x', 1 and [], None or 0 or 5, not [], 1 and 2 and 3",
    "identity": "def f():\n a = []\n return a is a, a is [], None is None, a is not None, True is True",
    "membership": "def f(): return 2 in [1, 2], 'a' not in 'cab', 3 in {1: 2}, 'k' in {'k'}, 5 in range(3, 9)",
    "nested unpacking": "def f():\n (a, b), *c, d = (1, 2), 3, 4, 5\n [e, f] = 'xy'\n return a, b, c, d, e, f",
    "starred literals": "def f():\n a = [1, 2]\n return [0, *a], (*a, 3), {*a}, {**{'x': 1}, 'y': 2}",
    "augmented": "def f():\n a = [1]; b = a; a += [2]; x = 3; x **= 2; d = {'k': 1}; d['k'] += 5\n return a, b, x, d",
    "slices": "def f():\n a = list(range(10)); a[1:3] = [7]; del a[0]\n return a[::2], a[-1], a[3:1:-1], 'hello'[1:4]",
    "loops": """
        def f():
            out = []
            for i in range(10):
                if i == 2:
                    continue
                if i == 5:
                    break
                out.append(i)
            else:
                out.append('never')
            for j in []:
                pass
            else:
                out.append('else')
            while len(out) < 8:
                out.append(len(out))
            else:
                out.append('done')
            return out
        """,
    "closures": """
        def f():
            count = 0
            def step(by=1):
                nonlocal count
                count += by
                return count
            step(); step(by=3)
            adders = [lambda x, k=k: x + k for k in range(3)]
            late = [lambda: k for k in range(3)]
            return count, [a(10) for a in adders], [g() for g in late]
        """,
    "globals": """
        total = 1
        def add(n):
            global total
            total += n
        def f():
            add(2); add(3)
            return total
        """,
    "arguments": """
        def g(a, b=2, /, c=3, *rest, d, e=5, **more):
            return a, b, c, rest, d, e, more
        def f():
            values = {'d': 7, 'z': 1}
            return g(1, d=4), g(1, 2, 3, 4, 5, d=6), g(*[1, 9], **values), (lambda *a, **k: (a, k))(1, x=2)
        """,
    "recursion": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef f(): return [fib(n) for n in range(12)]",
    "comprehensions": """
        def f():
            pairs = [(x, y) for x in range(3) for y in range(x) if x != 2 or y]
            return pairs, {x: x * x for x in range(3)}, {x % 2 for x in range(5)}, sum(x for x in range(4)), x_outer()
        def x_outer():
            x = 'kept'
            [x for x in range(3)]
            return x
        """,
    "texts": """
        def f():
            n, name = 42, 'row'
            return f'{n:>5}|{name!r}|{n / 7:.2f}|{{}}|{n=}', '%s-%d' % (name, n), '{:04d}'.format(n), ','.join(['a', 'b'])
        """,
    "generators": """
        def count(n):
            for i in range(n):
                yield i
            yield from ['a', 'b']
        def f():
            it = count(2)
            return next(it), list(it), next(it, 'end'), [x for x in count(1)]
        """,
    "exceptions": """
        class Mine(ValueError):
            def __init__(self, code):
                super().__init__('mine')
                self.code = code
        def g(kind):
            try:
                if kind == 0:
                    return 1 // 0
                if kind == 1:
                    raise Mine(7)
                if kind == 2:
                    return {}['x']
                if kind == 3:
                    return [][4]
                return 'fine'
            except ZeroDivisionError:
                return 'zero'
            except Mine as error:
                return error.code
            except (KeyError, IndexError) as error:
                return type(error).__name__
            finally:
                log.append(kind)
        log = []
        def f():
            return [g(k) for k in range(5)], log
        """,
    "raise from and reraise": """
        def g():
            try:
                try:
                    int('x')
                except ValueError as error:
                    raise RuntimeError('outer') from error
            except RuntimeError:
                try:
                    raise
                except RuntimeError as again:
                    return str(again)
        def f(): return g()
        """,
    "jump in finally": """
        def g():
            try:
                return [][0]
            finally:
                return 'swallowed'
        def f(): return g()
        """,
    "with": """
        class Context:
            def __init__(self): self.log = []
            def __enter__(self): self.log.append('in'); return self
            def __exit__(self, kind, value, trace): self.log.append('out'); return True
        def f():
            with Context() as c:
                c.log.append('body')
                raise ValueError
            return c.log
        """,
    "classes": """
        class Base:
            shared = [1]
            def __init__(self, x): self.x = x
            def who(self): return 'base'
            def twice(self): return self.who() * 2
            @property
            def double(self): return self.x * 2
            @double.setter
            def double(self, value): self.x = value // 2
            @staticmethod
            def helper(a): return a + 1
            @classmethod
            def make(cls, x): return cls(x)
        class Left(Base):
            def who(self): return 'left' + super().who()
        class Right(Base):
            def who(self): return 'right' + super().who()
        class Both(Left, Right):
            def __call__(self, n): return n * self.x
            def __getitem__(self, key): return key
            def __len__(self): return 3
            def __add__(self, other): return self.x + other
            def __radd__(self, other): return other - self.x
            def __eq__(self, other): return self.x == other.x
            def __iter__(self): return iter([1, 2])
            def __contains__(self, item): return item == 9
        def f():
            b = Both.make(5)
            b.double = 14
            return (b.who(), b.twice(), b.double, Both.helper(1), b.helper(2), b(3), b['k'], len(b), b + 1, 10 + b,
                    b == Both(7), b != Both(8), list(b), 9 in b, isinstance(b, Right), Base.shared, bool(b))
        """,
    "dataclasses": """
        from dataclasses import dataclass, field, replace, asdict
        @dataclass
        class Point:
            x: int
            y: int = 2
            tags: list = field(default_factory=list)
            def norm(self): return self.x + self.y
        @dataclass(kw_only=False)
        class Named(Point):
            name: str = 'n'
            total: int = field(init=False, default=9)
            def __post_init__(self):
                object.__setattr__ if False else None
        def f():
            p, q = Point(1), Point(1, y=2)
            q2 = replace(p, x=5)
            n = Named(1, 2, [], 'm')
            return p == q, p == q2, q2.norm(), asdict(n), Point(1).tags is Point(1).tags, n.total
        """,
    "enumerations": """
        from enum import Enum, IntEnum, Flag, auto
        class Colour(Enum):
            RED = 'r'
            BLUE = auto()
            def label(self): return self.name.lower() + str(self.value)
        class Level(IntEnum):
            LOW = 1
            HIGH = 5
        class Mode(Flag):
            A = auto()
            B = auto()
        def f():
            return (Colour('r').name, Colour['RED'].label(), Colour.RED is Colour('r'), Colour.RED == Colour.BLUE,
                    [c.name for c in Level], Level.HIGH + 1, Level.LOW < Level.HIGH, [1, 2][Level.LOW], len(Level),
                    (Mode.A | Mode.B).value, Colour.RED in [Colour.RED], {Colour.RED: 3}[Colour.RED])
        """,
    "named tuples": """
        from typing import NamedTuple
        from collections import namedtuple
        class Tile(NamedTuple):
            m: int
            n: int = 8
            def area(self): return self.m * self.n
        Pair = namedtuple('Pair', ['a', 'b'])
        def f():
            t = Tile(4)
            m, n = t
            return t.area(), m, n, t[1], tuple(t._replace(m=2)), Pair(1, b=2).b, isinstance(t, tuple), isinstance(t, Tile)
        """,
    "decorators": """
        import functools
        def double(fn):
            @functools.wraps(fn)
            def inner(*args, **kwargs):
                return 2 * fn(*args, **kwargs)
            return inner
        def scaled(by):
            def wrap(fn):
                return lambda *a: by * fn(*a)
            return wrap
        @double
        @scaled(by=3)
        def g(x): return x
        def f(): return g(7)
        """,
    "library": """
        import math, functools, itertools, operator, os
        from collections import OrderedDict
        def f():
            return (math.ceil(7 / 2), math.sqrt(16), math.pi, math.prod([2, 3]), functools.reduce(lambda a, b: a * b, [1, 2, 3]),
                    functools.partial(pow, 2)(5), list(itertools.product([1, 2], 'ab')), list(itertools.chain([1], [2])),
                    operator.mul(3, 4), os.path.join('a', 'b.py'), os.path.basename('x/y.py'), list(OrderedDict(a=1)),
                    list(itertools.islice(itertools.count(3), 2)), list(itertools.accumulate([1, 2, 3])))
        """,
    "builtins": """
        def f():
            return (len('abc'), abs(-2), min(3, 1), max([4, 9], key=lambda v: -v), sum([1, 2], 10), sorted('cab', reverse=True),
                    any([0, 1]), all([]), list(map(str, [1, 2])), list(filter(None, [0, 3])), list(zip([1, 2], 'ab')),
                    list(enumerate('ab', 1)), list(reversed([1, 2])), divmod(7, 2), round(2.567, 1), int('12'), float('1.5'),
                    bool([]), str(4), repr('x'), tuple([1]), set([1, 1]), dict(a=1), dict([(1, 2)]), isinstance(3, (str, int)),
                    callable(len), hasattr('x', 'upper'), getattr('x', 'nope', 5), type(3) is int, chr(97), hex(255), iter([1]) is None,
                    issubclass(bool, int), range(3)[1], slice(1, 2).stop, pow(2, 3), pow(2, 5, 7), max(1, 2.5))
        """,
    "containers": """
        def f():
            a = [3, 1, 2]; a.sort(); a.insert(1, 9); a.remove(2); b = a.pop(); a.extend((7, 8)); a.reverse()
            d = {'x': 1}; d.setdefault('y', []).append(4); d.update(z=3); popped = d.pop('x'); missing = d.get('q', 0)
            s = {1}; s.add(2); s.discard(1)
            return a, b, d, popped, missing, s, list(d.items()), a.index(9), a.count(7), d.pop('no', None), [1, 2] == [1, 2]
        """,
    "match": """
        from dataclasses import dataclass
        @dataclass
        class P:
            x: int
            y: int
        def g(v):
            match v:
                case 0: return 'zero'
                case [1, *rest]: return rest
                case {'k': k, **more}: return k, more
                case P(x=1, y=y): return y
                case P(a, b): return a, b
                case str() as s if len(s) > 2: return s
                case 'a' | 'b': return 'ab'
                case _: return None
        def f(): return [g(v) for v in (0, [1, 2, 3], {'k': 1, 'j': 2}, P(1, 5), P(2, 6), 'long', 'b', 3.5)]
        """,
    "walrus": "def f():\n total = 0\n while (n := total + 1) < 5: total = n\n return total, [y := 3, y], [z for x in (1, 2) if (z := x)]",
    "conditional values": "def f(): return [('even' if x % 2 == 0 else 'odd') for x in range(3)]",
    "deleting": "def f():\n a = 1; d = {'x': 1, 'y': 2}; del d['x'], a\n try: return a\n except NameError: return d",
    "module code": "values = []\nfor i in range(3):\n    values.append(i)\nif __name__ == '__main__':\n    values = None\ndef f(): return values, i",
    "assertion": "def f():\n try:\n  assert 1 > 2, 'no'\n except AssertionError as e: return str(e)",
    "iterator class": """
        class Up:
            def __init__(self, n): self.i, self.n = 0, n
            def __iter__(self): return self
            def __next__(self):
                if self.i >= self.n: raise StopIteration
                self.i += 1
                return self.i
        def f(): return list(Up(3)), sum(Up(4)), [x for x in Up(2)]
        """,
    "class scope": """
        x = 'outer'
        class C:
            x = 'inner'
            y = x + '!'
            def get(self): return x
        def f(): return C.y, C().get(), C.__name__
        """,
    "annotated assignment": "def f():\n x: int = 3\n y: 'unknown.Type'\n return x",
}


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_a_known_program_gives_what_python_gives(text: str) -> None:
    workspace = program(text)
    assert workspace.call("f") == by_python(text)
    assert workspace.findings == []
