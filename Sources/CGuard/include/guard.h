// A mapped data file whose failures end the process with words and an exit code instead of a bare signal.
#ifndef DOCSTORE_GUARD_H
#define DOCSTORE_GUARD_H

#include <stddef.h>
#include <stdint.h>

typedef struct docstore_guard docstore_guard;

// The texts are copied; `before` stands in front of the number of the page, `after` at the end. NULL when there are too
// many guards.
docstore_guard *docstore_guard_begin(const char *before, const char *after, int exit_code, size_t page_size);
// Looks where the file of this device and number is mapped. Again after each change of the map.
void docstore_guard_place(docstore_guard *guard, uint64_t device, uint64_t number);
// The calling thread writes to the file from now on, or no longer: a fault of this thread is one of the file's.
void docstore_guard_writing(docstore_guard *guard, int is_writing);
// Ends the process for a reason that has no page.
void docstore_guard_fail(const docstore_guard *guard, const char *why);
// Whether the page at an address of the map bears its own number; true where the map is not known.
int docstore_guard_is_in_place(const docstore_guard *guard, const void *address);
void docstore_guard_end(docstore_guard *guard);

#endif
