/* A stand-in for the CUDA runtime and driver, on which PyTorch's CUDA build runs without a GPU.
 *
 * It has two devices (STANDIN_DEVICES says another number), real memory and real copies. Kernels
 * are accepted and never run: whatever PyTorch decides before it launches one, such as its device
 * checks, is PyTorch's own code. Written from NVIDIA's public headers.
 *
 * Memory. All addresses of devices lie in one range that no process can read, so that CPU code that
 * is handed a CUDA tensor crashes as on a real machine. The bytes of the address `a` are at
 * `a + TO_BYTES`. Both ranges are at fixed places, so that tests can find the bytes as well. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

#define NAME "CUDA stand-in, no GPU"
#define MEMORY (80ULL << 30) /* bytes that each device says it has */
#define SPACE (1ULL << 38)   /* addresses of each device; blocks are powers of two */
#define MAX_DEVICES 8
#define PINNED MAX_DEVICES /* the arena of pinned host memory comes last */
#define DEVICE_ADDRESSES                                                  \
  0x200000000000 /* 32 TiB: far from where Linux maps libraries and heaps \
                  */
#define TO_BYTES 0x100000000000

char standin_handle[1 << 16]; /* every opaque handle points here */
static __thread int current_device;
static __thread cudaError_t last_error;

/* Keep an error for cudaGetLastError, which PyTorch asks after each call. */
static cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

static int device_count(void) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *number = getenv("STANDIN_DEVICES");
  if (visible && (!*visible || *visible == '-')) return 0;
  int count = number ? atoi(number) : 2;
  return count < MAX_DEVICES ? count : MAX_DEVICES;
}

/* ---- memory */

typedef struct Block {
  struct Block* next;
  char* address;
  size_t size;
  int arena, order; /* the block has 2^order bytes */
} Block;

typedef struct {
  char* start;
  size_t handed_out, used;
  Block* free[48]; /* by order */
} Arena;

static Arena arenas[MAX_DEVICES + 1];
static Block* taken[4096]; /* a hash table by address */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void map(char* start, size_t size, int protection) {
  int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (mmap(start, size, protection, flags, -1, 0) != start) {
    fprintf(stderr, "CUDA stand-in: its addresses are taken\n");
    abort();
  }
}

/* Map all arenas at the first use. Shared mappings, because what a driver maps does not count as a
 * process's own data (RLIMIT_DATA) either. */
static void wake(void) {
  if (arenas[0].start) return;
  char* devices = (char*)DEVICE_ADDRESSES;
  map(devices, SPACE * MAX_DEVICES, PROT_NONE);
  map(devices + TO_BYTES, SPACE * (MAX_DEVICES + 1), PROT_READ | PROT_WRITE);
  for (int n = 0; n < MAX_DEVICES; n++) arenas[n].start = devices + n * SPACE;
  arenas[PINNED].start = devices + TO_BYTES + PINNED * SPACE; /* the host may read that */
}

/* The arena of an address, or -1 if it is the host's own. */
static int arena_of(const void* address) {
  for (int n = 0; n <= MAX_DEVICES; n++) {
    char *start = arenas[n].start, *at = (char*)address;
    if (start && at >= start && at < start + SPACE) return n;
  }
  return -1;
}

/* Where the bytes of an address can be read and written. */
void* standin_bytes(const void* address) {
  int n = arena_of(address);
  return (char*)address + (n >= 0 && n != PINNED ? TO_BYTES : 0);
}

static Block** bucket(const void* address) {
  return &taken[((size_t)address >> 9) * 2654435761u % 4096];
}

static Block* new_block(Arena* arena, int n, int order) {
  if (arena->handed_out + (1ULL << order) > SPACE) return NULL;
  Block* block = malloc(sizeof *block);
  block->address = arena->start + arena->handed_out;
  block->arena = n, block->order = order;
  arena->handed_out += 1ULL << order;
  return block;
}

static void* take(int n, size_t size) {
  int order = 12; /* whole pages, which can be given back to the system */
  while ((1ULL << order) < size) order++;
  pthread_mutex_lock(&lock);
  wake();
  Arena* arena = &arenas[n];
  Block* block = NULL;
  if (arena->used + size <= MEMORY) {
    block = arena->free[order];
    if (block)
      arena->free[order] = block->next;
    else
      block = new_block(arena, n, order);
  }
  if (block) {
    block->size = size;
    block->next = *bucket(block->address);
    *bucket(block->address) = block;
    arena->used += size;
  }
  pthread_mutex_unlock(&lock);
  return block ? block->address : NULL;
}

static cudaError_t give_back(void* address) {
  if (!address) return cudaSuccess;
  pthread_mutex_lock(&lock);
  Block** link = bucket(address);
  while (*link && (*link)->address != address) link = &(*link)->next;
  Block* block = *link;
  if (block) {
    Arena* arena = &arenas[block->arena];
    *link = block->next;
    block->next = arena->free[block->order];
    arena->free[block->order] = block;
    arena->used -= block->size;
    madvise(standin_bytes(address), 1ULL << block->order, MADV_REMOVE); /* reads as zeros again */
  }
  pthread_mutex_unlock(&lock);
  return block ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMalloc(void** address, size_t size) {
  *address = size ? take(current_device, size) : NULL;
  return failed(*address || !size ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocAsync(void** address, size_t size, cudaStream_t stream) {
  return cudaMalloc(address, size);
}
cudaError_t cudaFree(void* address) { return failed(give_back(address)); }
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) { return cudaFree(address); }
cudaError_t cudaHostAlloc(void** address, size_t size, unsigned flags) {
  *address = take(PINNED, size ? size : 1);
  return failed(*address ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* address) { return failed(give_back(address)); }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = MEMORY;
  *free = MEMORY - arenas[current_device].used;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* found, const void* address) {
  int n = arena_of(address);
  memset(found, 0, sizeof *found);
  found->device = n < 0 ? cudaInvalidDeviceId : n == PINNED ? current_device : n;
  found->type = n < 0         ? cudaMemoryTypeUnregistered
                : n == PINNED ? cudaMemoryTypeHost
                              : cudaMemoryTypeDevice;
  if (n >= 0) found->devicePointer = (void*)address;
  if (n == PINNED) found->hostPointer = (void*)address;
  return cudaSuccess;
}

/* Copies are done at once: no stream is ever behind. */
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, enum cudaMemcpyKind kind) {
  memmove(standin_bytes(to), standin_bytes(from), size);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cudaMemcpy(to, from, size, kind);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int there, const void* from, int here, size_t size,
                                cudaStream_t stream) {
  return cudaMemcpy(to, from, size, cudaMemcpyDefault);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  for (size_t row = 0; row < height; row++)
    cudaMemcpy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* address, int value, size_t size) {
  memset(standin_bytes(address), value, size);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* address, int value, size_t size, cudaStream_t stream) {
  return cudaMemset(address, value, size);
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind) {
  return cudaSuccess; /* only kernels would read it */
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = standin_handle;
  return cudaSuccess;
}

/* Memory is not shared with other processes. */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address) {
  return failed(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle, unsigned flags) {
  return failed(cudaErrorNotSupported);
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return failed(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return failed(cudaErrorNotSupported);
}

/* ---- devices: an H100's figures, which decide the kernels that PyTorch chooses */

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return failed(*count ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return failed(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) { return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
  snprintf(id, size, "0000:%02X:00.0", device + 1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* found, int device) {
  if (device < 0 || device >= device_count()) return failed(cudaErrorInvalidDevice);
  pthread_mutex_lock(&lock);
  wake();
  pthread_mutex_unlock(&lock);
  *found = (struct cudaDeviceProp){
      .name = NAME,
      .uuid.bytes = {1 + device},
      .pciBusID = 1 + device,
      .major = 9,
      .totalGlobalMem = MEMORY,
      .totalConstMem = 65536,
      .l2CacheSize = 52428800,
      .sharedMemPerBlock = 49152,
      .sharedMemPerBlockOptin = 232448,
      .sharedMemPerMultiprocessor = 233472,
      .reservedSharedMemPerBlock = 1024,
      .regsPerBlock = 65536,
      .regsPerMultiprocessor = 65536,
      .warpSize = 32,
      .maxThreadsPerBlock = 1024,
      .maxThreadsDim = {1024, 1024, 64},
      .maxGridSize = {2147483647, 65535, 65535},
      .multiProcessorCount = 132,
      .maxThreadsPerMultiProcessor = 2048,
      .maxBlocksPerMultiProcessor = 32,
      .memPitch = 2147483647,
      .memoryBusWidth = 5120,
      .textureAlignment = 512,
      .asyncEngineCount = 3,
      .concurrentKernels = 1,
      .unifiedAddressing = 1,
      .canMapHostMemory = 1,
      .managedMemory = 1,
      .cooperativeLaunch = 1,
      .streamPrioritiesSupported = 1,
      .clusterLaunch = 1,
      .ECCEnabled = 1,
  };
  return cudaSuccess;
}

static int attribute(int which) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return 49152;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return 232448;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return 233472;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMultiProcessorCount:
      return 132;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return 32;
    case cudaDevAttrComputeCapabilityMajor:
      return 9;
    case cudaDevAttrL2CacheSize:
      return 52428800;
    case cudaDevAttrTextureAlignment:
      return 512;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    default:
      return 0;
  }
}
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr which, int device) {
  *value = attribute(which);
  return cudaSuccess;
}

/* ---- errors */

static const struct {
  cudaError_t code;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unrecognized error code"},
};
static int find_error(cudaError_t code) {
  int n = 0;
  while (errors[n].code != code && errors[n].code != cudaErrorUnknown) n++;
  return n;
}
const char* cudaGetErrorString(cudaError_t code) { return errors[find_error(code)].text; }
const char* cudaGetErrorName(cudaError_t code) { return errors[find_error(code)].name; }
cudaError_t cudaPeekAtLastError(void) { return last_error; }
cudaError_t cudaGetLastError(void) {
  cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

/* ---- streams and events: whatever was asked is done */

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = calloc(1, 64); /* each has an identity */
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaStreamCreate((cudaStream_t*)event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = 0;
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* data) {
  call(data);
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void* data,
                                  unsigned flags) {
  call(stream, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

/* ---- kernels: accepted and never run */

void** __cudaRegisterFatBinary(void* binary) { return (void**)standin_handle; }
void __cudaRegisterFatBinaryEnd(void** handle) {}
void __cudaUnregisterFatBinary(void** handle) {}
void __cudaRegisterFunction(void** handle, const char* function, char* device_function,
                            const char* name, int threads, uint3* thread, uint3* block,
                            dim3* block_size, dim3* grid_size, int* warp_size) {}
void __cudaRegisterVar(void** handle, char* variable, char* address, const char* name, int external,
                       size_t size, int constant, int global) {}
char __cudaInitModule(void** handle) { return 1; }

/* `kernel<<<grid, block>>>()` compiles to a push, and a pop in the kernel's host function. */
static __thread struct {
  dim3 grid, block;
  size_t shared;
  void* stream;
} configuration;
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  configuration.grid = grid, configuration.block = block;
  configuration.shared = shared, configuration.stream = stream;
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = configuration.grid, *block = configuration.block, *shared = configuration.shared;
  *(void**)stream = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(void** kernel, const void* function) {
  *kernel = (void*)function;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* found, const void* function) {
  *found = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024,
                                       .numRegs = 32,
                                       .ptxVersion = 90,
                                       .binaryVersion = 90,
                                       .maxDynamicSharedSizeBytes = 49152};
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function, int size,
                                                                   size_t shared, unsigned flags) {
  *blocks = 2;
  return cudaSuccess;
}

/* ---- the driver */

CUresult cuInit(unsigned flags) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = (CUcontext)standin_handle;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal < device_count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  *value = attribute(which); /* the runtime has the driver's numbers */
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = 0, *active = 1;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = NAME;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* found, CUpointer_attribute which, CUdeviceptr address) {
  *(void**)found = standin_handle;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int size,
                                                     size_t shared) {
  *blocks = 2;
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr* start, size_t* size, CUdeviceptr address) {
  *start = address, *size = 0;
  return CUDA_SUCCESS;
}
CUresult cuMemGetAllocationGranularity(size_t* size, const CUmemAllocationProp* of,
                                       CUmemAllocationGranularity_flags flags) {
  *size = 2 << 20;
  return CUDA_SUCCESS;
}
/* Triton, which some of PyTorch's operators use, links to these. */
CUresult cuDriverGetVersion(int* version) { return cudaDriverGetVersion(version), CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = current_device;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  *value = 1024;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { return CUDA_SUCCESS; }
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : which == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                            : 0;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* launch, CUfunction function, void** arguments,
                          void** extra) {
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* launch) {
  *clusters = 1;
  return CUDA_SUCCESS;
}
static CUresult succeed(void) { return CUDA_SUCCESS; }

/* PyTorch asks for the driver's functions by name. */
static const struct {
  const char* name;
  void* function;
} driver[] = {
    {"cuCtxGetCurrent", cuCtxGetCurrent},
    {"cuDeviceGet", cuDeviceGet},
    {"cuDeviceGetAttribute", cuDeviceGetAttribute},
    {"cuDevicePrimaryCtxGetState", cuDevicePrimaryCtxGetState},
    {"cuGetErrorString", cuGetErrorString},
    {"cuPointerGetAttribute", cuPointerGetAttribute},
    {"cuMemGetAddressRange", cuMemGetAddressRange_v2},
    {"cuMemGetAllocationGranularity", cuMemGetAllocationGranularity},
};
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult* status) {
  *function = succeed;
  for (unsigned n = 0; n < sizeof driver / sizeof *driver; n++)
    if (!strcmp(driver[n].name, name)) *function = driver[n].function;
  if (status) *status = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}
