/* The calls of cuBLAS, cuDNN, NCCL and NVRTC whose answers PyTorch reads before it goes on. */
#include <stdlib.h>
#include <string.h>
#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>
#include <nvrtc.h>

extern char standin_handle[];

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int asked,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  memset(results, 0, sizeof *results * asked);
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

/* ---- versions */

size_t cudnnGetVersion(void) { return CUDNN_VERSION; }
size_t cudnnGetCudartVersion(void) { return 13000; }
cudnnStatus_t cudnnGetProperty(libraryPropertyType which, int* value) {
  *value = which == MAJOR_VERSION   ? CUDNN_MAJOR
           : which == MINOR_VERSION ? CUDNN_MINOR
                                    : CUDNN_PATCHLEVEL;
  return CUDNN_STATUS_SUCCESS;
}
ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13, *minor = 0;
  return NVRTC_SUCCESS;
}

ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
  for (int n = 0; n < count; n++) communicators[n] = (ncclComm_t)standin_handle;
  return ncclSuccess;
}

/* ---- cuDNN's convolutions: one algorithm for each, without a workspace */

#define ONE_ALGORITHM()                                                            \
  memset(results, 0, sizeof *results* asked);                                      \
  results[0].mathType = CUDNN_FMA_MATH; /* without TF32, PyTorch takes no other */ \
  *found = 1;                                                                      \
  return CUDNN_STATUS_SUCCESS;

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y,
    const int asked, int* found,
    cudnnConvolutionFwdAlgoPerf_t* results){ONE_ALGORITHM()} cudnnStatus_t
    cudnnGetConvolutionBackwardDataAlgorithm_v7(
        cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t dy,
        const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx,
        const int asked, int* found,
        cudnnConvolutionBwdDataAlgoPerf_t* results){ONE_ALGORITHM()} cudnnStatus_t
    cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
        const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dw,
        const int asked, int* found, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  ONE_ALGORITHM()
}

/* ---- cuDNN's RNNs
 *
 * PyTorch keeps all weights in one buffer and asks cuDNN where each matrix and bias is. Here, for
 * each layer and direction ("pseudo layer"): its matrices (of the input, of the hidden state, of
 * the projection); and after all matrices, the biases in the same order. */

typedef struct {
  int mode, has_bias, directions, input, hidden, projection, layers, element_size;
} Network;

typedef struct {
  int type, sizes[8], dimensions;
} Shape;

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* description) {
  *description = calloc(1, sizeof(Network));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t description) {
  free(description);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t description, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
                                       cudnnDataType_t precision, cudnnMathType_t math,
                                       int32_t input, int32_t hidden, int32_t projection,
                                       int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       uint32_t flags) {
  *(Network*)description = (Network){.mode = mode,
                                     .has_bias = bias != CUDNN_RNN_NO_BIAS,
                                     .directions = direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
                                     .input = input,
                                     .hidden = hidden,
                                     .projection = projection != hidden ? projection : 0,
                                     .layers = layers,
                                     .element_size = type == CUDNN_DATA_DOUBLE  ? 8
                                                     : type == CUDNN_DATA_FLOAT ? 4
                                                                                : 2};
  return CUDNN_STATUS_SUCCESS;
}

static int gates(const Network* net) {
  return net->mode == CUDNN_LSTM ? 4 : net->mode == CUDNN_GRU ? 3 : 1;
}
static int outputs(const Network* net) { return net->projection ? net->projection : net->hidden; }
static int inputs(const Network* net, int pseudo_layer) {
  return pseudo_layer < net->directions ? net->input : outputs(net) * net->directions;
}
static size_t in_matrices(const Network* net, int pseudo_layer) {
  size_t of_gates = (size_t)gates(net) * net->hidden * (inputs(net, pseudo_layer) + outputs(net));
  return of_gates + (size_t)net->projection * net->hidden;
}
static size_t in_biases(const Network* net) {
  return net->has_bias ? (size_t)2 * gates(net) * net->hidden : 0;
}
static size_t in_matrices_before(const Network* net, int pseudo_layer) {
  size_t sum = 0;
  for (int n = 0; n < pseudo_layer; n++) sum += in_matrices(net, n);
  return sum;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t description,
                                         size_t* size) {
  const Network* net = (const Network*)description;
  int all = net->layers * net->directions;
  *size = (in_matrices_before(net, all) + all * in_biases(net)) * net->element_size;
  return CUDNN_STATUS_SUCCESS;
}

/* `id` counts the matrices of a pseudo layer: those of the input, then of the hidden state, one for
 * each gate, then the projection. */
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t description,
                                      int32_t pseudo_layer, size_t size, const void* buffer,
                                      int32_t id, cudnnTensorDescriptor_t matrix, void** matrix_at,
                                      cudnnTensorDescriptor_t bias, void** bias_at) {
  const Network* net = (const Network*)description;
  int all = net->layers * net->directions, gate_count = gates(net);
  int wide = inputs(net, pseudo_layer), narrow = outputs(net), hidden = net->hidden;
  size_t of_input = (size_t)hidden * wide, of_hidden = (size_t)hidden * narrow;
  size_t start = in_matrices_before(net, pseudo_layer);
  Shape matrix_shape = {0}, bias_shape = {0};
  void *matrix_found = NULL, *bias_found = NULL;
  if (id < 2 * gate_count) {
    int is_input = id < gate_count;
    start += is_input ? id * of_input : gate_count * of_input + (id - gate_count) * of_hidden;
    matrix_shape = (Shape){.sizes = {1, hidden, is_input ? wide : narrow}, .dimensions = 3};
    matrix_found = (char*)buffer + start * net->element_size;
    if (net->has_bias) {
      size_t at =
          in_matrices_before(net, all) + pseudo_layer * in_biases(net) + (size_t)id * hidden;
      bias_shape = (Shape){.sizes = {1, hidden, 1}, .dimensions = 3};
      bias_found = (char*)buffer + at * net->element_size;
    }
  } else if (net->projection) {
    start += gate_count * (of_input + of_hidden);
    matrix_shape = (Shape){.sizes = {1, net->projection, hidden}, .dimensions = 3};
    matrix_found = (char*)buffer + start * net->element_size;
  }
  matrix_shape.type = bias_shape.type = net->element_size == 8   ? CUDNN_DATA_DOUBLE
                                        : net->element_size == 4 ? CUDNN_DATA_FLOAT
                                                                 : CUDNN_DATA_HALF;
  /* PyTorch asks for one of the two, and gives NULL for the other. */
  if (matrix) *(Shape*)matrix = matrix_shape;
  if (bias) *(Shape*)bias = bias_shape;
  if (matrix_at) *matrix_at = matrix_found;
  if (bias_at) *bias_at = bias_found;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* description) {
  *description = calloc(1, sizeof(Shape));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t description) {
  free(description);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t description, cudnnDataType_t type,
                                         int dimensions, const int sizes[], const int strides[]) {
  Shape* shape = (Shape*)description;
  shape->type = type, shape->dimensions = dimensions;
  memcpy(shape->sizes, sizes, sizeof(int) * (dimensions < 8 ? dimensions : 8));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t description, int asked,
                                         cudnnDataType_t* type, int* dimensions, int sizes[],
                                         int strides[]) {
  const Shape* shape = (const Shape*)description;
  *type = shape->type, *dimensions = shape->dimensions;
  for (int n = 0; n < asked && n < 8; n++) {
    sizes[n] = n < shape->dimensions ? shape->sizes[n] : 0;
    if (strides) strides[n] = 1;
  }
  return CUDNN_STATUS_SUCCESS;
}
