import torch, os
from functools import cache
@cache
def load():
    torch.ops.load_library(os.environ.get("SIM_SO", "/tmp/sim.so"))
