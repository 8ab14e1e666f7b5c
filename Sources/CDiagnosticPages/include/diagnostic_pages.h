// The pages of docs/diagnostics, taken into the program as they lie there when it is built.
#ifndef DOCSTORE_DIAGNOSTIC_PAGES_H
#define DOCSTORE_DIAGNOSTIC_PAGES_H

/// The page of the diagnostic that is called so, or NULL. The text belongs to the program.
const char *diagnostic_page(const char *name);

#endif
