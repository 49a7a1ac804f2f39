"""How CUDA checks the devices of each operator's tensors, as data; `checks` does what it says.

There are four ways. Most kernels require one device for all tensors: the rule for every operator
that is not named here. Elementwise kernels leave the check to TensorIterator, which allows one
0-dim CPU tensor (`ELEMENTWISE`) or none (`ITERATED`). A few check by themselves (`checks.OWN`).
Composites are decomposed, and the first inner operator that checks devices raises.

The sets follow PyTorch's native_functions.yaml: `device_check: NoCheck` and `structured`.
"""

from __future__ import annotations


def _names(text: str) -> set[str]:
    return set(text.split())


# TensorIterator with `allow_cpu_scalars`.
ELEMENTWISE = _names("""
    __ilshift__ __irshift__ __lshift__ __rshift__ add addcmul atan2 bitwise_and
    bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign div eq floor_divide
    fmax fmin fmod ge gt heaviside hypot le lerp logical_and logical_or logical_xor lt maximum
    minimum mul ne pow remainder rsub special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w
    special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l
    special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v
    special_shifted_chebyshev_polynomial_w special_xlog1py special_zeta sub xlogy
""")

# TensorIterator without.
ITERATED = _names("""
    abs acos addcdiv all aminmax angle any asin atan binary_cross_entropy bitwise_not ceil cos
    cosh cumprod cumsum digamma elu erf erfc erfinv exp expm1 floor frac gelu hardshrink
    hardsigmoid hardswish hardtanh index_fill leaky_relu lgamma log log10 log1p log2 logical_not
    max mean min mse_loss neg norm polygamma prod reciprocal renorm round rsqrt sigmoid sign sin
    sinh smooth_l1_loss softplus softshrink sqrt std sum tan tanh threshold trunc var
""")

# Kernels whose checks are generated under `wrapper_CUDA_name_overload`; the others' are under
# `wrapper_CUDA_overload_name`.
STRUCTURED = _names("""
    _addmm_activation _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo
    _linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd _log_softmax
    _log_softmax_backward_data _softmax _softmax_backward_data _upsample_bicubic2d_aa
    _upsample_bicubic2d_aa_backward _upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward
    _upsample_nearest_exact1d _upsample_nearest_exact1d_backward _upsample_nearest_exact2d
    _upsample_nearest_exact2d_backward _upsample_nearest_exact3d
    _upsample_nearest_exact3d_backward acosh adaptive_max_pool2d adaptive_max_pool2d_backward
    adaptive_max_pool3d adaptive_max_pool3d_backward addmm addmv amax amin argmax argmin asinh
    atanh avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward baddbmm bmm cat clamp
    clamp_max clamp_min elu_backward exp2 fractional_max_pool2d fractional_max_pool2d_backward
    fractional_max_pool3d gather gcd gelu_backward glu hardshrink_backward hardsigmoid_backward
    hash_tensor i0 igamma igammac index_add index_copy index_reduce isin isneginf isposinf lcm
    leaky_relu_backward linalg_cholesky_ex linalg_cross linalg_inv_ex linalg_ldl_factor_ex
    linalg_ldl_solve linalg_lu linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_vector_norm
    logaddexp logaddexp2 logit_backward lu_unpack max_pool2d_with_indices
    max_pool2d_with_indices_backward mish mm nextafter nll_loss_backward nll_loss_forward
    reflection_pad1d reflection_pad1d_backward reflection_pad3d reflection_pad3d_backward
    replication_pad1d replication_pad1d_backward replication_pad2d replication_pad3d scatter
    scatter_add scatter_reduce sgn sigmoid_backward signbit silu silu_backward sinc
    slow_conv_transpose2d softplus_backward softshrink_backward sort special_airy_ai
    special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_entr
    special_erfcx special_i0e special_i1 special_i1e special_log_ndtr
    special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
    special_modified_bessel_k1 special_ndtri special_scaled_modified_bessel_k0
    special_scaled_modified_bessel_k1 special_spherical_bessel_j0 tanh_backward
    threshold_backward topk triangular_solve tril triu upsample_bicubic2d
    upsample_bicubic2d_backward upsample_bilinear2d upsample_bilinear2d_backward
    upsample_linear1d upsample_linear1d_backward upsample_nearest1d upsample_nearest1d_backward
    upsample_nearest2d upsample_nearest2d_backward upsample_nearest3d
    upsample_nearest3d_backward upsample_trilinear3d upsample_trilinear3d_backward
""")

# Overloads of these that are not: `addmm`, `baddbmm`, `bmm` and `mm` with another dtype's result.
UNSTRUCTURED = {"dtype", "dtype_out"}

# Operators that are composites elsewhere and have a kernel on CUDA.
KERNELS = {"addr", "convolution_backward", "native_group_norm", "native_layer_norm"}

# Arguments that may be on any device: CUDA reads or copies them.
ANYWHERE = {
    "fill_": {"value"},
    "fill": {"value"},
    "is_set_to": {"tensor"},
    "_pack_padded_sequence": {"lengths"},
    "_pad_packed_sequence": {"batch_sizes"},
    "resize_as_": {"the_template"},
    "_has_same_storage_numel": {"other"},
    "is_same_size": {"other"},
    "allclose": {"other"},
    "record_stream": set(),
}

# The kernel that CUDA runs where the backend's own name differs, if its first tensor is on CUDA.
ON_CUDA = {"native_batch_norm": "cudnn_batch_norm"}
