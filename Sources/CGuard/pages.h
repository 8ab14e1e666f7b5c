#ifndef DOCSTORE_PAGES_H
#define DOCSTORE_PAGES_H

#include <stddef.h>
#include <stdint.h>

// The number of a page of the newest trees that cannot be what was written; 0 when each could. Reads the map only, and is
// safe in a signal.
size_t docstore_bad_page(const void *map, size_t bytes, size_t page_size);

#endif
