// The compiler notes each embedded page as something that this file depends on: a changed page leads to a new program.
#include "diagnostic_pages.h"

#include <stddef.h>
#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// One page behind the other, each with a zero byte at its end; nothing follows the last.
static const char pages[] = {
#include "list.h"
    0};

// A page begins with its name: "# NAME: what it means".
const char *diagnostic_page(const char *name) {
  size_t length = strlen(name);
  for (const char *page = pages; *page; page += strlen(page) + 1)
    if (!strncmp(page, "# ", 2) && !strncmp(page + 2, name, length) && !strncmp(page + 2 + length, ": ", 2)) return page;
  return NULL;
}
