"""The codes of all findings, in their order of precedence."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Of two findings on one path, the report shows the one whose code comes first here.

    What stopped the module, or undid itself, comes first: nothing after it can be trusted. Then
    what one line did to one tensor, which is more exact than how the tensor is held. Then how it is
    held. Last what follows from those. `diagnosis` adds one rule: errors come before warnings.
    """

    REGISTRATION_MISUSE = "registration-misuse"  # the module was not built, or a buffer is None
    PARAMETER_OVERWRITTEN = "parameter-overwritten"  # PyTorch's own message names it
    MOVED_BEFORE_REGISTRATION = "moved-before-registration"  # why nothing else there is registered
    TO_OVERRIDE = "to-override"  # explains every tensor that the overridden method forgets
    HARD_CODED_DEVICE = "hard-coded-device"  # that line is to change, however the tensor is held
    TO_RESULT_DROPPED = "to-result-dropped"  # the line to change, also where it is unregistered
    DEVICE_IGNORED = "device-ignored"  # registered, so nothing below holds of it
    CRITERION_STATE = "criterion-state"  # the loss's own tensor: more than how it is held
    HOST_ROUND_TRIP = "host-round-trip"  # PyTorch's own message names it
    GENERATOR_DEVICE = "generator-device"  # PyTorch's own message names it
    INDEX_DEVICE = "index-device"  # which of two tensors is to move: more than `member-tensor` says
    INPUT_TRANSFER = "input-transfer"  # the input, before what was made of it
    LAYER_IN_FORWARD = "layer-in-forward"  # a layer, before the tensors that it holds
    STALE_DEVICE = "stale-device"  # a tensor of an earlier call, before how that call made it
    MADE_IN_FORWARD = "made-in-forward"  # the call's own tensor, before what it is kept in
    AVERAGED_COPY = "averaged-copy"  # the purpose of a container or module, before its type
    OPAQUE_HOLDER = "opaque-holder"  # the object that hides it, before the tensor
    PYTHON_CONTAINER = "python-container"  # the container, before the tensors in it
    MEMBER_TENSOR = "member-tensor"  # unregistered, and nothing hides it
    TIED_WEIGHTS = "tied-weights"  # registered, and parted by a move
    STALE_OPTIMIZER = "stale-optimizer"  # after the Parameters that it lost
    DEVICE_MISMATCH = "device-mismatch"  # dropped wherever another error says more
    PARAMETER_OR_BUFFER = "parameter-or-buffer"  # registered, and only its role is wrong
    LOST_FROM_CHECKPOINT = "lost-from-checkpoint"  # follows from most of the above
    META_INIT = "meta-init"  # only harms a way to build, after what harms every way
    REPLICA = "replica"  # only harms a way to train that PyTorch advises against
