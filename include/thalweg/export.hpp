// THALWEG_API marks what leaves the library; all else is hidden.
#pragma once

// Default visibility is harmless in a static library, so one meaning serves both builds.
#if defined(__GNUC__)
#define THALWEG_API __attribute__((visibility("default")))
#else
#define THALWEG_API
#endif
