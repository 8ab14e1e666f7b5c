// What the system offers processes, but not to Swift: functions of any number of arguments, and those of one C library.
#pragma once
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Gives memory that was freed back to the system, where the C library keeps some; 1 when there was any.
static inline int docstore_give_memory_back(void) {
#ifdef __GLIBC__
  return malloc_trim(0);
#else
  return 0;
#endif
}

/// Has every block of `bytes` and more come from the system by itself, and go back to it when it is freed.
///
/// The C library would raise that size to that of the largest block that was ever freed, up to 32 MiB; from then on large
/// blocks lie among small ones, and one small block keeps many large ones that were freed.
static inline void docstore_keep_large_blocks_apart(int bytes) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, bytes);
  // Setting the one would leave the other at 128 KiB: a system call each time that so much is freed at the end of the heap.
  mallopt(M_TRIM_THRESHOLD, bytes);
#else
  (void)bytes;
#endif
}

#ifdef __linux__
#include <sys/prctl.h>

/// Has the kernel send `signal` to this process when the thread that started it ends; 0 when it will.
static inline int docstore_signal_on_parent_end(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
#else
static inline int docstore_signal_on_parent_end(int signal) { (void)signal; return -1; }
#endif

/// Lets go of the pages of code and constants, which are files: those that are needed again come back from the system's
/// cache of files at their first use. Does nothing where the system is not Linux.
void docstore_let_go_of_code(void);

/// Begins to write to the disk what was written to an open file, and does not wait until it is there; a disk that is far behind may
/// make it wait for its turn.
void docstore_begin_write_back(int descriptor);
