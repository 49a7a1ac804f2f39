"""Accepted answers to exercise 11, and the mistakes learners make."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy


class Doctor(nn.Module):
    """What all variants share: everything right but what `keep` leaves out."""

    def __init__(self, average, diseases):
        super().__init__()
        self.patches = nn.Conv2d(len(average), 5, kernel_size=3, padding=1)
        self.scores = nn.Linear(5, diseases)
        self.keep(torch.tensor(average), torch.ones(diseases))

    def keep(self, average, met):
        self.register_buffer("average", average)
        self.register_buffer("met", met)

    def light(self, photos):
        return torch.rand(len(photos), 1, 1, 1, device=photos.device)

    def count(self, diseases):
        self.met += torch.bincount(diseases, minlength=len(self.met))

    def forward(self, photos, diseases):
        if self.training:
            photos = photos * (0.9 + 0.2 * self.light(photos))
            self.count(diseases)
        found = self.patches(photos - self.average[:, None, None]).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        return scores, cross_entropy(scores, diseases, weight=self.met.mean() / self.met)


class BufferObjects(Doctor):
    """The newer spelling."""

    def keep(self, average, met):
        self.average, self.met = nn.Buffer(average), nn.Buffer(met)


class FrozenParameters(Doctor):
    """Moved, saved and not trained, as buffers are; `+=` changes a frozen Parameter in place."""

    def keep(self, average, met):
        self.average = nn.Parameter(average, requires_grad=False)
        self.met = nn.Parameter(met, requires_grad=False)


class NewCountEachTime(Doctor):
    """Assigned anew: the name stays a buffer."""

    def count(self, diseases):
        self.met = self.met + torch.bincount(diseases, minlength=len(self.met))


class LightLikeThePhotos(Doctor):
    """Made like a part of what it is multiplied with."""

    def light(self, photos):
        return torch.rand_like(photos[:, :1, :1, :1])


class UniformInPlace(Doctor):
    """Memory where the photos are, filled with what they are multiplied by."""

    def forward(self, photos, diseases):
        if self.training:
            photos = photos * photos.new_empty(len(photos), 1, 1, 1).uniform_(0.9, 1.1)
            self.count(diseases)
        found = self.patches(photos - self.average[:, None, None]).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        return scores, cross_entropy(scores, diseases, weight=self.met.mean() / self.met)


class OnlyTheFirst(Doctor):
    """What the first error named is fixed, and the next one is not looked for."""

    def keep(self, average, met):
        self.register_buffer("average", average)
        self.met = met


class LightOnTheCpu(Doctor):
    """Right whenever it is not trained."""

    def light(self, photos):
        return torch.rand(len(photos), 1, 1, 1)


class NotSaved(Doctor):
    """The counts move, and a checkpoint forgets them."""

    def keep(self, average, met):
        self.register_buffer("average", average)
        self.register_buffer("met", met, persistent=False)


class Learned(Doctor):
    """As a Parameter, the average is trained."""

    def keep(self, average, met):
        self.average = nn.Parameter(average)
        self.register_buffer("met", met)


class MovedWhereUsed(Doctor):
    """Brought over in each call, and still unknown to the module."""

    def keep(self, average, met):
        self.plain, self.met = average, nn.Buffer(met)

    @property
    def average(self):
        return self.plain.to(self.met.device)


class Uncounted(Doctor):
    """What is not counted cannot be on the wrong device."""

    def count(self, diseases):
        pass

    def forward(self, photos, diseases):
        scores, _ = super().forward(photos, diseases)
        return scores, cross_entropy(scores, diseases)


class KeptAsAnImage(Doctor):
    """One value for each colour, in a shape that broadcasts over a photo."""

    def keep(self, average, met):
        super().keep(average[:, None, None], met)

    def forward(self, photos, diseases):
        if self.training:
            photos = photos * (0.9 + 0.2 * self.light(photos))
            self.count(diseases)
        found = self.patches(photos - self.average).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        return scores, cross_entropy(scores, diseases, weight=self.met.mean() / self.met)


class IntegerCount(Doctor):
    """What is counted is an integer."""

    def keep(self, average, met):
        super().keep(average, met.long())

    def forward(self, photos, diseases):
        if self.training:
            photos = photos * (0.9 + 0.2 * self.light(photos))
            self.count(diseases)
        found = self.patches(photos - self.average[:, None, None]).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        return scores, cross_entropy(scores, diseases, weight=self.met.float().mean() / self.met)


class AlwaysTheSameLight(Doctor):
    """What is not drawn cannot be on the wrong device."""

    def light(self, photos):
        return 0.5


class NormalLight(Doctor):
    """Drawn on the right device, and from another distribution."""

    def light(self, photos):
        return torch.randn_like(photos[:, :1, :1, :1])


class LightPerPixel(Doctor):
    """Each pixel gets a brightness, not each photo."""

    def light(self, photos):
        return torch.rand_like(photos)


class OneLightForAll(Doctor):
    """All photos of a batch get the same brightness."""

    def light(self, photos):
        return torch.rand((), device=photos.device)


class CountsAfterTheLoss(Doctor):
    """The loss weighs by the counts of the batches before."""

    def forward(self, photos, diseases):
        if self.training:
            photos = photos * (0.9 + 0.2 * self.light(photos))
        found = self.patches(photos - self.average[:, None, None]).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        loss = cross_entropy(scores, diseases, weight=self.met.mean() / self.met)
        if self.training:
            self.count(diseases)
        return scores, loss


class LightOnTheCpuOnly(Doctor):
    """Where the light could be on the wrong device, it does not vary."""

    def light(self, photos):
        return 0.5 if photos.is_cuda else torch.rand(len(photos), 1, 1, 1)


class ChangesThePhotos(Doctor):
    """The caller goes on with darker photos."""

    def forward(self, photos, diseases):
        if self.training:
            photos.mul_(0.9 + 0.2 * self.light(photos))
            self.count(diseases)
        found = self.patches(photos - self.average[:, None, None]).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        return scores, cross_entropy(scores, diseases, weight=self.met.mean() / self.met)


ACCEPTED = (
    "BufferObjects",
    "FrozenParameters",
    "NewCountEachTime",
    "LightLikeThePhotos",
    "UniformInPlace",
    "KeptAsAnImage",
    "IntegerCount",
)
ALSO_RIGHT = {
    "self.met = self.met + torch.bincount(...)": "NewCountEachTime",
    "uniform_(0.9, 1.1)": "UniformInPlace",
    "nn.Parameter(torch.tensor(average), requires_grad=False)": "FrozenParameters",
}
MISTAKES = {
    "OnlyTheFirst": "member-tensor",
    "LightOnTheCpu": "made-in-forward",
    "NotSaved": "check state_dict",
    "Learned": "parameter-or-buffer",
    "MovedWhereUsed": "member-tensor",
    "Uncounted": "check forward",
    "AlwaysTheSameLight": "check forward",
    "NormalLight": "check forward",
    "LightPerPixel": "check forward",
    "OneLightForAll": "check forward",
    "CountsAfterTheLoss": "check forward",
    "LightOnTheCpuOnly": "check forward",
    "ChangesThePhotos": "check forward",
}
