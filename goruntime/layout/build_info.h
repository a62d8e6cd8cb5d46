/* SPDX-License-Identifier: Apache-2.0 */
/* build_info.h - what a Go binary says about its build: version, module, settings,
 * dependencies. It survives stripping. */
#ifndef GOSNAP_BUILD_INFO_H
#define GOSNAP_BUILD_INFO_H

#include <stddef.h>

struct build_setting {
	char *key, *value;
};

struct build_dependency {
	char *path, *version, *replaced_by; /* version, replaced_by: NULL when none */
};

enum version_source {
	VERSION_BUILD_INFO,
	VERSION_VARIABLE,  /* runtime.buildVersion */
	VERSION_FUNCTIONS, /* inferred from the functions that the runtime has */
	VERSION_TABLES,	   /* inferred from the pclntab format and the layout that fits */
	VERSION_LAYOUT,	   /* without a pclntab */
	VERSION_ASSUMED,   /* given by the user, not contradicted by the program */
};

struct build_info {
	char *version; /* "go1.24.4"; NULL: not known */
	enum version_source version_source;
	char *not_a_version; /* the text found in place of a version; NULL: none */
	char *path, *module, *module_version; /* NULL when not known */
	struct build_setting *settings;
	size_t setting_count, setting_cap;
	struct build_dependency *dependencies;
	size_t dependency_count, dependency_cap;
};

#endif
