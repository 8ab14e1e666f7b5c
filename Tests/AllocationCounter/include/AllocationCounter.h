/// Counts the memory that a thread asks for, for tests that say "allocates nothing".
///
/// The functions of the C library are replaced in the test executable and passed on; what the Swift
/// runtime asks for goes through them, too.
#ifndef DOCSTORE_ALLOCATION_COUNTER_H
#define DOCSTORE_ALLOCATION_COUNTER_H

#include <stdint.h>

/// Whether the replacements are in effect in this process.
int allocation_counter_is_active(void);

/// Calls of malloc, calloc, realloc and their aligned relatives by this thread so far.
uint64_t allocation_count(void);

#endif
