// In place of GCC's header, which c10/util/ApproximateClock.h includes to read the processor's
// clock: it declares all vector instructions, for 0.8 s of the compiler's time and 90 MB.
#pragma once
inline unsigned long long __rdtsc() { return __builtin_ia32_rdtsc(); }
