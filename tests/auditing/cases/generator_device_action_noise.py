"""The generator belongs to the model's device, but the noise is drawn without a device.

Thread: https://github.com/galilai-group/stable-worldmodel/pull/162
"""

import torch
from torch import nn

CODE = "generator-device"
LINE_HAS = "torch.randn("


class ActionPlanner(nn.Module):
    def __init__(self, dim=4, candidates=3, seed=0):
        super().__init__()
        self.candidates, self.seed = candidates, seed
        self.policy = nn.Linear(dim, dim)

    def forward(self, state):
        rng = torch.Generator(device=state.device).manual_seed(self.seed)
        action = self.policy(state)
        noise = torch.randn((self.candidates, *action.shape), generator=rng)
        return action + 0.1 * noise.to(action.device)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 4),)


BUGGY = ActionPlanner
FIXED = (
    """\
-        noise = torch.randn((self.candidates, *action.shape), generator=rng)
-        return action + 0.1 * noise.to(action.device)
+        noise = torch.randn(
+            (self.candidates, *action.shape),
+            generator=rng,
+            device=rng.device,
+            dtype=action.dtype,
+        )
+        return action + 0.1 * noise
""",
)
