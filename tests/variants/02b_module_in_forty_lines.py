"""Accepted answers to exercise 02b, and the mistakes learners make."""

import torch
from torch import nn


class Given:
    """What all variants share: the registers, and the part that the exercise gives."""

    def __init__(self):
        vars(self).update(_parameters={}, _buffers={}, _modules={})

    def register_buffer(self, name, tensor):
        self._buffers[name] = tensor

    def __getattr__(self, name):
        for register in ("_parameters", "_buffers", "_modules"):
            if name in vars(self).get(register, {}):
                return vars(self)[register][name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def cuda(self):
        return self._apply(lambda tensor: tensor.cuda())

    def __call__(self, *inputs):
        return self.forward(*inputs)


class InLists(Given):
    """Lists in place of generators, and `vars` in place of `object.__setattr__`."""

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter):
            self._parameters[name] = value
        elif isinstance(value, Given):
            self._modules[name] = value
        elif name in self._buffers:
            self._buffers[name] = value
        else:
            vars(self)[name] = value

    def parameters(self):
        found = list(self._parameters.values())
        for child in self._modules.values():
            found += child.parameters()
        return found

    def _apply(self, fn):
        for parameter in self._parameters.values():
            parameter.data = fn(parameter.data)
        self._buffers.update({name: fn(buffer) for name, buffer in self._buffers.items()})
        for child in self._modules.values():
            child._apply(fn)
        return self


class WithAStack(InLists):
    """One walk over all modules, without recursion."""

    def modules(self):
        stack = [self]
        while stack:
            module = stack.pop()
            yield module
            stack.extend(module._modules.values())

    def parameters(self):
        return [p for module in self.modules() for p in module._parameters.values()]

    def _apply(self, fn):
        for module in self.modules():
            for p in module._parameters.values():
                p.data = fn(p.data)
            for name in module._buffers:
                module._buffers[name] = fn(module._buffers[name])
        return self


class SortedByKind(InLists):
    """A table of kinds and registers; the class above does the rest, as `super()` says."""

    def __setattr__(self, name, value):
        kinds = ((nn.Parameter, self._parameters), (Given, self._modules))
        for kind, register in kinds:
            if isinstance(value, kind):
                register[name] = value
                return
        if name in self._buffers:
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)


class EachOnce(InLists):
    """A Parameter under two names is listed once."""

    def parameters(self):
        return {id(parameter): parameter for parameter in super().parameters()}.values()


class ChildrenUnsorted(InLists):
    """Children are ordinary attributes."""

    def __setattr__(self, name, value):
        if isinstance(value, Given):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


class BuffersUnsorted(InLists):
    """What is assigned to the name of a buffer hides it."""

    def __setattr__(self, name, value):
        if name in self._buffers:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


class OthersLost(InLists):
    """Takes nothing but what it registers."""

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter | Given) or name in self._buffers:
            super().__setattr__(name, value)


class EveryTensorIsAParameter(InLists):
    """Asks for a tensor where it should ask for a Parameter."""

    def __setattr__(self, name, value):
        if isinstance(value, torch.Tensor):
            self._parameters[name] = value
        else:
            super().__setattr__(name, value)


class ListsItsOwn(InLists):
    """The children's Parameters are left out."""

    def parameters(self):
        return self._parameters.values()


class ListsNames(InLists):
    """Walks the keys of a dict."""

    def parameters(self):
        yield from self._parameters
        for child in self._modules.values():
            yield from child.parameters()


class ListsBuffers(InLists):
    """A buffer is not trained."""

    def parameters(self):
        return [*super().parameters(), *self._buffers.values()]


class ListsChildrenTwice(InLists):
    """The children list theirs already."""

    def parameters(self):
        found = super().parameters()
        return found + [p for child in self._modules.values() for p in child.parameters()]


class MovesItsOwn(InLists):
    """The children stay behind."""

    def _apply(self, fn):
        for parameter in self._parameters.values():
            parameter.data = fn(parameter.data)
        for name, buffer in self._buffers.items():
            self._buffers[name] = fn(buffer)
        return self


class ForgetsBuffers(InLists):
    """Parameters and children move."""

    def _apply(self, fn):
        for parameter in self.parameters():
            parameter.data = fn(parameter.data)
        return self


class DropsTheResult(InLists):
    """`fn` returns a new tensor, and nobody keeps it."""

    def _apply(self, fn):
        for child in self._modules.values():
            child._apply(fn)
        for register in (self._parameters, self._buffers):
            for tensor in register.values():
                fn(tensor)
        return self


class NewParameters(InLists):
    """An optimizer goes on with the old ones."""

    def _apply(self, fn):
        for child in self._modules.values():
            child._apply(fn)
        for name, parameter in self._parameters.items():
            self._parameters[name] = nn.Parameter(fn(parameter.data))
        for name, buffer in self._buffers.items():
            self._buffers[name] = fn(buffer)
        return self


class ReturnsNothing(InLists):
    """`model = model.cuda()` is None."""

    def _apply(self, fn):
        super()._apply(fn)


class MovesOnlyToTheGpu(InLists):
    """Whatever `fn` does, it does something else."""

    def _apply(self, fn):
        return super()._apply(lambda tensor: tensor.cuda())


class ListsOneLevel(InLists):
    """The children's Parameters, and not those of their children."""

    def parameters(self):
        found = list(self._parameters.values())
        for child in self._modules.values():
            found += child._parameters.values()
        return found


class MovesOneLevel(InLists):
    """The children move, and theirs stay behind."""

    def _apply(self, fn):
        for module in (self, *self._modules.values()):
            for parameter in module._parameters.values():
                parameter.data = fn(parameter.data)
            for name, buffer in module._buffers.items():
                module._buffers[name] = fn(buffer)
        return self


class OnlyLayersAreChildren(InLists):
    """Takes for a child what has a weight."""

    def __setattr__(self, name, value):
        if isinstance(value, Given) and "weight" not in value._parameters:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


class BuffersOfItsOwn(InLists):
    """All Parameters, and only the buffers of the module that is moved."""

    def _apply(self, fn):
        for parameter in self.parameters():
            parameter.data = fn(parameter.data)
        self._buffers.update({name: fn(buffer) for name, buffer in self._buffers.items()})
        return self


class EveryTensorIsABuffer(InLists):
    """Shorter, without asking whether there is a buffer of that name."""

    def __setattr__(self, name, value):
        if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
            self._buffers[name] = value
        else:
            super().__setattr__(name, value)


class CopiesIntoTheBuffer(InLists):
    """The old buffer stays, with other numbers."""

    def __setattr__(self, name, value):
        if name in self._buffers:
            self._buffers[name].copy_(value)
        else:
            super().__setattr__(name, value)


class AsksForTheChildren(InLists):
    """PyTorch's `Module` has such a method, and this one does not."""

    def _apply(self, fn):
        for child in self.children():
            child._apply(fn)
        return super()._apply(fn)


ACCEPTED = ("InLists", "WithAStack", "SortedByKind", "EachOnce")
ALSO_RIGHT = {"One walk over all modules": "WithAStack", "`vars(self)[name] = value`": "InLists"}
MISTAKES = {
    "ChildrenUnsorted": "to-override",
    "BuffersUnsorted": "to-override",
    "OthersLost": "check forward",
    "EveryTensorIsAParameter": "check buffers",
    "ListsItsOwn": "check parameters",
    "ListsNames": "check parameters",
    "ListsBuffers": "check forward",
    "ListsChildrenTwice": "check forward",
    "MovesItsOwn": "to-override",
    "ForgetsBuffers": "to-override",
    "DropsTheResult": "to-override",
    "NewParameters": "to-override",
    "ReturnsNothing": "to-override",
    "MovesOnlyToTheGpu": "check forward",
    "ListsOneLevel": "check parameters",
    "MovesOneLevel": "to-override",
    "OnlyLayersAreChildren": "to-override",
    "BuffersOfItsOwn": "to-override",
    "EveryTensorIsABuffer": "check buffers",
    "CopiesIntoTheBuffer": "check forward",
    "AsksForTheChildren": "check placement",
}
