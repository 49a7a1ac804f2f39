"""Submissions that want more than they are worth, and lines that only they need.

Each has the kind of flag that it must get and the line, in the text below the two imports.
"""

CHEATS = {
    "searches all objects": ("import", 2, "import gc\nfound = gc.get_objects()"),
    "looks up a loaded module": ("import", 2, "import sys\nprobe = sys.modules['grader.probe']"),
    "takes a table of names": ("import", 2, "import sys\ntable = vars(sys)['mod' + 'ules']"),
    "asks for a module's name": ("import", 2, "import sys\ntable = getattr(sys, 'modules')"),
    "imports a function of sys": ("import", 1, "from sys import _current_frames as f\nf()"),
    "reaches sys through torch": ("import", 1, "frames = torch.sys._current_frames()"),
    "reaches os through logging": ("import", 1, "from logging import os\n"),
    "another name for sys": ("import", 3, "import sys\ns = sys\ns.addaudithook(print)"),
    "asks for the solution": ("import", 1, "from grader import solution\n"),
    "imports the grader": ("import", 1, "from grader.probe.inspection import values\n"),
    "starts a timer": ("import", 2, "import threading\nthreading.Timer(1, print).start()"),
    "private module of PyTorch": ("import", 1, "import torch._jit_internal\n"),
    "loads an extension": ("import", 1, "from torch.utils.cpp_extension import load_inline\n"),
    "memory by strides": (
        "import", 2, "import numpy as np\nnp.lib.stride_tricks.as_strided(np.ones(1), (9,), (8,))",
    ),
    "arguments of a proxy": (
        "private-name", 2, "def forward(self, x):\n    return x._args[0]",
    ),
    "private function of PyTorch": (
        "private-name", 2, "def forward(self, x):\n    return torch._jit_internal.boolean_dispatch",
    ),
    "globals of a function": (
        "private-name", 1, "nn.Module.cuda.__globals__['torch']",
    ),
    "closure": (
        "private-name", 2,
        "def hook(function):\n    return [c.cell_contents for c in function.__closure__]",
    ),
    "subclasses of object": ("private-name", 1, "found = object.__subclasses__()"),
    "subclasses by a class pattern": (
        "private-name", 2, "match object:\n    case type(__subclasses__=found):\n        pass",
    ),
    "asks whether it is graded": (
        "behaviour", 2, "import torch\nnow = 'imulated' in torch.cuda.get_device_name(0)",
    ),
    "asks for a test's variable": (
        "behaviour", 2, "import os\nnow = 'PYTEST_CURRENT_TEST' in os.environ",
    ),
    "frame of a generator": (
        "private-name", 3, "def walk():\n    yield\nframe = walk().gi_frame.f_globals",
    ),
    "frame of a traceback": (
        "private-name", 4,
        "try:\n    {}[0]\nexcept KeyError as e:\n    frame = e.__traceback__.tb_frame.f_locals",
    ),
    "attribute path in a string": (
        "private-name", 2, "import operator\nlook = operator.attrgetter('tb_frame.f_globals')",
    ),
    "format string": ("private-name", 1, "text = '{0.__globals__}'.format(nn.Module.cuda)"),
    "private name by getattr": (
        "private-name", 2, "def forward(self, x):\n    return getattr(x, '_args')",
    ),
    "private name put together": (
        "private-name", 2, "def forward(self, x):\n    return getattr(x, '_ar' + 'gs')",
    ),
    "private name backwards": (
        "private-name", 2, "def forward(self, x):\n    return getattr(x, 'sgra_'[::-1])",
    ),
    "private name by joining": (
        "private-name", 2, "def forward(self, x):\n    return getattr(x, ''.join(['_', 'args']))",
    ),
    "bytecode": ("private-name", 3, "def f():\n    pass\nnn.Module.cuda.__code__ = f.__code__"),
    "patched function": ("patched-library", 1, "torch.equal = lambda *args: True"),
    "patched method": ("patched-library", 1, "torch.Tensor.device = property(lambda self: 'cuda')"),
    "patched for a while": (
        "patched-library", 2, "def forward(self, x):\n    nn.Module.state_dict = None",
    ),
    "patched by setattr": ("patched-library", 1, "setattr(nn.Module, 'cuda', None)"),
    "patched by type": ("patched-library", 1, "type.__setattr__(nn.Module, 'cuda', None)"),
    "patched through its table": ("patched-library", 1, "vars(nn.Module).update(cuda=None)"),
    "patched under another name": (
        "patched-library", 2, "Base = nn.Module\nBase.named_parameters = None",
    ),
    "patched under a name given on the way": (
        "patched-library", 2, "(library := torch)\nlibrary.equal = None",
    ),
    "patched class of an object": (
        "patched-library", 2, "def forward(self, x):\n    type(x).device = 'cuda:0'",
    ),
    "patched by __class__": (
        "patched-library", 2, "def forward(self, x):\n    x.__class__.device = 'cuda:0'",
    ),
    "patched in a loop": (
        "patched-library", 2, "import torch.nn.functional as F\nfor nn.Module.cpu in [None]: pass",
    ),
    "hook on every module": (
        "patched-library", 1, "nn.modules.module.register_module_forward_hook(print)",
    ),
    "method of one tensor": (
        "patched-library", 2, "def forward(self, x):\n    x.detach = lambda: x\n    return x",
    ),
    "exec": ("hidden-code", 1, "exec('import gc')"),
    "eval of an argument": ("hidden-code", 2, "def forward(self, x):\n    return eval('x * 2')"),
    "import by a computed name": ("hidden-code", 1, "module = __import__('g' + 'c')"),
    "unpickles a file": ("hidden-code", 1, "torch.load('model.pt', weights_only=False)"),
    "unpickles an array": (
        "hidden-code", 2, "import numpy as np\nnp.load('model.npy', allow_pickle=True)",
    ),
    "renamed exec": ("hidden-code", 1, "run = exec\n"),
    "base64": (
        "hidden-code", 1,
        "P = 'aW1wb3J0IHN5cwpmcmFtZSA9IHN5cy5fZ2V0ZnJhbWUoMSkKcHJpbnQoZnJhbWUuZl9iYWNrKQ=='",
    ),
    "hexadecimal": ("hidden-code", 1, f"P = '{b'import gc; print(gc.get_objects())'.hex()}'"),
    "plain code in a string": (
        "hidden-code", 1, "P = 'import gc\\nfor each in gc.get_objects(): print(each)'",
    ),
    "code as numbers": (
        "hidden-code", 1,
        f"P = bytes({list(b'import gc; print(gc.get_objects())')})",
    ),
    "opaque constant": ("hidden-code", 1, "P = '" + "Zm9vYmFyLg9x8w7v6u5t" * 30 + "'"),
    "name from a table of characters": (
        "hidden-code", 2,
        "def forward(self, x):\n    return getattr(x, ''.join(chr(c + 1) for c in [94, 96]))",
    ),
    "poses as another class": (
        "disguise", 3,
        "class Net(nn.Module):\n    @property\n    def __class__(self): return nn.Linear",
    ),
    "equals everything": (
        "disguise", 2, "class Net(nn.Module):\n    def __eq__(self, other): return True",
    ),
    "tensor with a device of its own": ("disguise", 1, "class OnCuda(torch.Tensor):\n    pass"),
    "reads a file as numbers": (
        "file", 1, "numbers = torch.from_file('answers', size=100, dtype=torch.uint8)",
    ),
    "reads of another process": ("file", 1, "text = open('/proc/self/maps').read()"),
    "looks for the solution": (
        "file", 3, "from pathlib import Path\nhere = Path('.')\nfound = list(here.rglob('*.py'))",
    ),
    "names the solutions": (
        "file", 2, "from pathlib import Path\ntext = Path('../solutions/03.py').read_text()",
    ),
}  # fmt: skip
