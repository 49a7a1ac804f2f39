// The figures of `torch.cuda.memory_stats`: CUDA's caching allocator, simulated for our requests.
#pragma once
#include "aten.h"
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>
#ifndef _WIN32
#include <unistd.h>
#endif

namespace simulated_cuda {
using namespace at;

constexpr auto kDevice = DeviceType::CUDA;
constexpr int kMaxDevices = 16;

inline std::atomic<int> device_count{2};
inline thread_local DeviceIndex current_device = 0;
// Whether PyTorch has started the device (`torch.cuda.init`).
inline std::atomic<bool> is_started{false};

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;
constexpr size_t kCapacity = 85014872064;  // bytes of each device: an H100's, which sm_90 goes with

// The sizes of c10/cuda/CUDACachingAllocator.cpp: a request is rounded to 512 bytes and cut out of
// a segment of 2 MiB (small requests), 20 MiB, or its own size rounded to 2 MiB.
inline size_t round_request(size_t bytes) {
  return std::max<size_t>(512, (bytes + 511) / 512 * 512);
}
inline bool is_small(size_t bytes) { return bytes <= kMiB; }
inline size_t segment_for(size_t bytes) {
  if (is_small(bytes)) return 2 * kMiB;
  if (bytes < 10 * kMiB) return 20 * kMiB;
  return (bytes + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
}

struct Figure {
  int64_t current = 0, peak = 0, allocated = 0, freed = 0;
  void change(int64_t by) {
    current += by;
    peak = std::max(peak, current);
    (by > 0 ? allocated : freed) += std::abs(by);
  }
};

struct Figures {
  // The order of c10::CachingDeviceAllocator::DeviceStats.
  enum Name {
    ALLOCATION,
    SEGMENT,
    ACTIVE,
    INACTIVE_SPLIT,
    ALLOCATED_BYTES,
    RESERVED_BYTES,
    ACTIVE_BYTES,
    INACTIVE_SPLIT_BYTES,
    REQUESTED_BYTES,
    NAMES
  };
  std::array<std::array<Figure, 3>, NAMES>
      all;  // each for all memory, the small and the large pool
  void change(Name name, bool small, int64_t by) {
    all[name][0].change(by);
    all[name][small ? 1 : 2].change(by);
  }
};

// A request or a release. It is logged when it happens and replayed when code asks for figures, so
// an operator pays for a `push_back` only.
struct Request {
  size_t slot;   // of the block, in a table of where it is
  size_t bytes;  // 0: released
};

// One device's segments, as CUDACachingAllocator would have them.
class Ledger {
 public:
  // Returns the block's slot, for `remove`.
  size_t add(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (requests_.size() > kMost) settle();
    if (free_slots_.empty()) free_slots_.push_back(where_.size()), where_.emplace_back();
    auto slot = free_slots_.back();
    free_slots_.pop_back();
    requests_.push_back({slot, bytes});
    held_ += round_request(bytes);
    return slot;
  }
  void remove(size_t slot, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    requests_.push_back({slot, 0});
    held_ -= round_request(bytes);
  }
  size_t held() const { return held_; }
  size_t limit() const { return limit_; }
  void set_limit(size_t bytes) { limit_ = bytes; }
  // Whether a request is within the limit, which CUDA has for what is reserved.
  bool has_room(size_t bytes) {
    if (limit_ == kCapacity ? held_ + round_request(bytes) <= kCapacity : fits(bytes)) return true;
    release_for_retry();
    return fits(bytes);
  }
  // CUDA's allocator frees the segments that nothing uses before it tries again.
  void release_for_retry() {
    empty_cache();
    ++retries_;
  }
  void count_out_of_memory() { ++out_of_memory_; }

  Figures figures() {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    // All work is done when a call returns, so what is allocated is what is active.
    figures_.all[Figures::ACTIVE] = figures_.all[Figures::ALLOCATION];
    figures_.all[Figures::ACTIVE_BYTES] = figures_.all[Figures::ALLOCATED_BYTES];
    return figures_;
  }
  int64_t times_out_of_memory() const { return out_of_memory_; }
  int64_t retries() const { return retries_; }
  size_t reserved() { return figures().all[Figures::RESERVED_BYTES][0].current; }
  void reset_peaks() {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    for (auto& figure : figures_.all)
      for (auto& pool : figure) pool.peak = pool.current;
  }
  void reset_totals() {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    for (auto& figure : figures_.all)
      for (auto& pool : figure) pool.allocated = pool.freed = 0;
    out_of_memory_ = retries_ = 0;
  }
  // For each block: address, bytes, requested bytes, is it small, used, the first of a segment.
  std::vector<int64_t> segments() {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    std::vector<int64_t> all;
    for (auto& [address, piece] : pieces_)
      all.insert(all.end(), {int64_t(address), int64_t(piece.bytes), int64_t(piece.requested),
                             piece.small, piece.used, piece.first});
    return all;
  }
  // `torch.cuda.empty_cache()`: segments without a used block are freed.
  void empty_cache() {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    for (bool small : {true, false})
      for (auto free = free_[small].begin(); free != free_[small].end();) {
        auto piece = pieces_.find(free->second);
        if (!piece->second.is_whole()) {
          ++free;
          continue;
        }
        figures_.change(Figures::SEGMENT, small, -1);
        figures_.change(Figures::RESERVED_BYTES, small, -int64_t(piece->second.bytes));
        pieces_.erase(piece);
        free = free_[small].erase(free);
      }
  }

 private:
  static constexpr size_t kMost = 1 << 10;
  struct Piece {  // of a segment, at a made-up address
    size_t bytes, requested;
    bool small, used, first, last;  // first and last: of its segment
    bool is_whole() const { return first && last; }
  };
  using Pieces = std::map<size_t, Piece>;

  bool fits(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    settle();
    auto rounded = round_request(bytes);
    auto& free = free_[is_small(rounded)];
    size_t reserved = figures_.all[Figures::RESERVED_BYTES][0].current;
    return free.lower_bound({rounded, 0}) != free.end() ||
           reserved + segment_for(rounded) <= limit_;
  }
  void settle() {
    for (auto& request : requests_) request.bytes ? take(request) : give(request);
    requests_.clear();
  }
  void take(const Request& request) {
    size_t bytes = round_request(request.bytes);
    bool small = is_small(bytes);
    auto best = free_[small].lower_bound({bytes, 0});
    Pieces::iterator piece;
    if (best == free_[small].end()) {
      size_t whole = segment_for(bytes);
      piece = pieces_.emplace(next_address_, Piece{whole, 0, small, false, true, true}).first;
      next_address_ += whole + kMiB;  // segments do not touch
      figures_.change(Figures::SEGMENT, small, 1);
      figures_.change(Figures::RESERVED_BYTES, small, whole);
    } else {
      piece = pieces_.find(best->second);
      free_[small].erase(best);
      if (!piece->second.is_whole()) count_inactive(piece->second, -1);
    }
    size_t rest = piece->second.bytes - bytes;
    if (small ? rest >= 512 : rest > kMiB) {
      auto& left = piece->second;
      auto right =
          pieces_.emplace(piece->first + bytes, Piece{rest, 0, small, false, false, left.last})
              .first;
      left.bytes = bytes;
      left.last = false;
      free_[small].insert({rest, right->first});
      count_inactive(right->second, 1);
    }
    piece->second.used = true;
    piece->second.requested = request.bytes;
    count_used(piece->second, 1);
    where_[request.slot] = piece;
  }
  void give(const Request& request) {
    auto piece = where_[request.slot];
    free_slots_.push_back(request.slot);
    count_used(piece->second, -1);
    piece->second.used = false;
    if (!piece->second.last) merge(piece, std::next(piece));
    if (!piece->second.first) piece = merge(std::prev(piece), piece);
    free_[piece->second.small].insert({piece->second.bytes, piece->first});
    if (!piece->second.is_whole()) count_inactive(piece->second, 1);
  }
  Pieces::iterator merge(Pieces::iterator left, Pieces::iterator right) {
    if (left->second.used) return right;
    if (right->second.used) return left;
    for (auto side : {left, right})
      if (free_[side->second.small].erase({side->second.bytes, side->first}))
        count_inactive(side->second, -1);
    left->second.bytes += right->second.bytes;
    left->second.last = right->second.last;
    pieces_.erase(right);
    return left;
  }
  void count_used(const Piece& piece, int sign) {
    figures_.change(Figures::ALLOCATION, piece.small, sign);
    figures_.change(Figures::ALLOCATED_BYTES, piece.small, sign * int64_t(piece.bytes));
    figures_.change(Figures::REQUESTED_BYTES, piece.small, sign * int64_t(piece.requested));
  }
  void count_inactive(const Piece& piece, int sign) {
    figures_.change(Figures::INACTIVE_SPLIT, piece.small, sign);
    figures_.change(Figures::INACTIVE_SPLIT_BYTES, piece.small, sign * int64_t(piece.bytes));
  }

  std::mutex mutex_;
  std::vector<Request> requests_;
  std::atomic<size_t> held_{0}, limit_{kCapacity};
  std::atomic<int64_t> out_of_memory_{0}, retries_{0};
  Figures figures_;
  Pieces pieces_;
  std::set<std::pair<size_t, size_t>> free_[2];  // (bytes, address), for large and small
  std::vector<Pieces::iterator> where_;          // by slot
  std::vector<size_t> free_slots_;
  size_t next_address_ = kMiB;
};
inline std::array<Ledger, kMaxDevices>& ledgers() {
  static auto* all = new std::array<Ledger, kMaxDevices>();  // tensors may outlive static objects
  return *all;
}

// All memory of this machine, in bytes.
inline size_t host_capacity() {
#ifdef _SC_PHYS_PAGES
  static const size_t bytes = size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return bytes;
#else
  return kCapacity;
#endif
}

// A size as c10's format_size writes it.
inline std::string in_words(uint64_t bytes) {
  std::ostringstream text;
  text.precision(2);
  text << std::fixed;
  if (bytes <= kKiB)
    text << bytes << " bytes";
  else if (bytes <= kMiB)
    text << double(bytes) / kKiB << " KiB";
  else if (bytes <= kGiB)
    text << double(bytes) / kMiB << " MiB";
  else
    text << double(bytes) / kGiB << " GiB";
  return text.str();
}

[[noreturn]] inline void refuse_memory(size_t bytes, DeviceIndex device) {
  constexpr size_t exabyte = size_t(1) << 60;
  TORCH_CHECK_WITH(OutOfMemoryError, bytes < exabyte,
                   "CUDA out of memory. Tried to allocate more than 1EB memory.");
  auto& ledger = ledgers()[device];
  ledger.count_out_of_memory();
  auto figures = ledger.figures();
  size_t allocated = figures.all[Figures::ALLOCATED_BYTES][0].current,
         reserved = figures.all[Figures::RESERVED_BYTES][0].current;
  std::string allowed = ledger.limit() < kCapacity ? in_words(ledger.limit()) + " allowed; " : "";
  TORCH_CHECK_WITH(
      OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ",
      in_words(segment_for(round_request(bytes))), ". GPU ", int(device),
      " has a total capacity of ", in_words(kCapacity), " of which ",
      in_words(kCapacity - std::min(kCapacity, reserved)), " is free. ", allowed,
      "Of the allocated memory ", in_words(allocated), " is allocated by PyTorch, and ",
      in_words(reserved - allocated),
      " is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
      "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
      "documentation for Memory Management  "
      "(https://docs.pytorch.org/docs/stable/notes/"
      "cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)");
}
}  // namespace simulated_cuda
