"""A VAE whose noise is made on the CPU in each call."""

from grader.schema import Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="06_noise_in_forward",
    title="Noise where the model is",
    class_name="VAE",
    finding="made-in-forward",
    recipe=Recipe(
        arguments={"features": 5, "hidden": 7, "latent": 3},
        inputs=(Input((4, "features")),),
        thorough=True,
        other_arguments={"features": 8, "hidden": 6, "latent": 4},
        learns_from="output[0]",  # the others reach mean and spread past the noise
    ),
    tensors=(
        *layer("encoder.0", 7, 5),
        *layer("mean", 3, 7),
        *layer("spread", 3, 7),
        *layer("decoder.0", 7, 3),
        *layer("decoder.2", 5, 7),
    ),
    random_outputs=("output[0]",),
    points={"placement": 1, "forward": 3, "training": 1},
    hints=(
        "`torch.randn` got a shape and nothing else. The tensors that its result meets both "
        "know a device: `mean` and `std`.",
        'Take the device from one of these. The name "cuda" would be wrong on the CPU and on a '
        "second GPU.",
        "There is a function that makes noise like another tensor, and `torch.randn` itself "
        "takes `device=` and `dtype=`.",
        "`noise = torch.randn_like(std)`, or `noise = torch.randn(std.shape, device=std.device, "
        "dtype=std.dtype)`.",
    ),
    reason="The noise is made like a tensor that it meets, with its shape, dtype and device. "
    "Wherever that tensor is, the noise is there too, and no device is written down.",
    also_right=(
        "`torch.randn(std.shape, device=std.device)`: the long form, for a shape that differs.",
        "`std.new_empty(std.shape).normal_()`, or `torch.distributions.Normal(mean, "
        "std).rsample()`: both follow `std`.",
    ),
)
