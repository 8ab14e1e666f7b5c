// What the system offers processes through functions of any number of arguments, which Swift cannot call.
#pragma once
#ifdef __linux__
#include <sys/prctl.h>

/// Has the kernel send `signal` to this process when the thread that started it ends; 0 when it will.
static inline int docstore_signal_on_parent_end(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
#else
static inline int docstore_signal_on_parent_end(int signal) { (void)signal; return -1; }
#endif
