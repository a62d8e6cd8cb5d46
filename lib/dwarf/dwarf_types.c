/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_types.h"

#include <dwarf.h>
#include <inttypes.h>

#include "lib/base/search.h"
#include "lib/dwarf/dwarf_priv.h"

static bool tag_of(unsigned tag, enum dwarf_type_tag *ret)
{
	static const struct {
		unsigned tag;
		enum dwarf_type_tag is;
	} tags[] = {
		{ DW_TAG_base_type, DWARF_TYPE_BASE },
		{ DW_TAG_structure_type, DWARF_TYPE_STRUCT },
		{ DW_TAG_class_type, DWARF_TYPE_STRUCT },
		{ DW_TAG_interface_type, DWARF_TYPE_STRUCT },
		{ DW_TAG_union_type, DWARF_TYPE_UNION },
		{ DW_TAG_array_type, DWARF_TYPE_ARRAY },
		{ DW_TAG_pointer_type, DWARF_TYPE_POINTER },
		{ DW_TAG_reference_type, DWARF_TYPE_POINTER },
		{ DW_TAG_rvalue_reference_type, DWARF_TYPE_POINTER },
		{ DW_TAG_subroutine_type, DWARF_TYPE_FUNCTION },
		{ DW_TAG_enumeration_type, DWARF_TYPE_ENUM },
		{ DW_TAG_typedef, DWARF_TYPE_TYPEDEF },
		{ DW_TAG_const_type, DWARF_TYPE_QUALIFIER },
		{ DW_TAG_volatile_type, DWARF_TYPE_QUALIFIER },
		{ DW_TAG_restrict_type, DWARF_TYPE_QUALIFIER },
		{ DW_TAG_atomic_type, DWARF_TYPE_QUALIFIER },
		{ DW_TAG_unspecified_type, DWARF_TYPE_UNSPECIFIED },
		{ DW_TAG_ptr_to_member_type, DWARF_TYPE_OTHER },
		{ DW_TAG_subrange_type, DWARF_TYPE_OTHER },
		{ DW_TAG_string_type, DWARF_TYPE_OTHER },
		{ DW_TAG_set_type, DWARF_TYPE_OTHER },
		{ DW_TAG_file_type, DWARF_TYPE_OTHER },
		{ DW_TAG_packed_type, DWARF_TYPE_OTHER },
		{ DW_TAG_thrown_type, DWARF_TYPE_OTHER },
		{ DW_TAG_shared_type, DWARF_TYPE_OTHER },
		{ DW_TAG_coarray_type, DWARF_TYPE_OTHER },
		{ DW_TAG_dynamic_type, DWARF_TYPE_OTHER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		if (tags[i].tag != tag)
			continue;
		*ret = tags[i].is;
		return true;
	}
	return false;
}

/* Bounds may be the value of a variable, and so unknown. */
static uint64_t dimension_of(const struct dwarf_entry *e)
{
	uint64_t count, lower = 0, upper;

	if (dwarf_entry_unsigned(e, AT_COUNT, &count))
		return count;
	if (!dwarf_entry_unsigned(e, AT_UPPER_BOUND, &upper) ||
	    (entry_has(e, AT_LOWER_BOUND) &&
	     !dwarf_entry_unsigned(e, AT_LOWER_BOUND, &lower)))
		return UINT64_MAX;
	return upper - lower + 1;
}

static void read_dimensions(struct dwarf_entries *es, const struct dwarf_entry *e,
			    struct dwarf_type *ret)
{
	struct dwarf_walk w = { .es = es, .entry = *e };
	bool into = true;

	while (dwarf_walk_next(&w, into)) {
		into = false;
		if (w.entry.tag != DW_TAG_subrange_type &&
		    w.entry.tag != DW_TAG_enumeration_type)
			continue;
		if (ret->dimension_count == DWARF_DIMENSIONS) {
			ret->dimensions[DWARF_DIMENSIONS - 1] = UINT64_MAX;
			return;
		}
		ret->dimensions[ret->dimension_count++] = dimension_of(&w.entry);
	}
}

static void read_go(const struct dwarf_entry *e, struct dwarf_type *ret)
{
	uint64_t kind = 0;

	if (dwarf_entry_unsigned(e, AT_GO_KIND, &kind) && kind <= UINT8_MAX)
		ret->go_kind = (unsigned)kind;
	ret->go_key = dwarf_entry_ref(e, AT_GO_KEY);
	ret->go_elem = dwarf_entry_ref(e, AT_GO_ELEM);
	/* Encoded as an address, but an offset. */
	if (entry_has(e, AT_GO_RUNTIME_TYPE) &&
	    e->value[AT_GO_RUNTIME_TYPE].class != CLASS_NONE)
		ret->go_runtime_type = e->value[AT_GO_RUNTIME_TYPE].u;
}

/* False: no entry. */
static bool entry_of(struct dwarf *d, uint64_t ref, struct dwarf_entry *ret)
{
	return ref && dwarf_entry_at(dwarf_entries(d), ref, ret);
}

bool dwarf_type_read(struct dwarf *d, uint64_t ref, struct dwarf_type *ret,
		     struct err *err)
{
	struct dwarf_type type = { .ref = ref };
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_entry e;
	uint64_t encoding;

	if (!ref || !dwarf_unit_of(es, ref))
		return err_set(err, ERR_NOT_FOUND, "no type at %#" PRIx64, ref);
	if (!dwarf_entry_at(es, ref, &e))
		return err_set(err, es->steps ? ERR_BAD_DATA : ERR_LIMIT,
			       "no debug information entry at %#" PRIx64, ref);
	if (!tag_of(e.tag, &type.tag))
		return err_set(err, ERR_NOT_FOUND, "no type at %#" PRIx64, ref);
	dwarf_entry_integrate(es, &e);
	type.name = dwarf_entry_string(es, &e, AT_NAME);
	type.has_size = dwarf_entry_unsigned(&e, AT_BYTE_SIZE, &type.size);
	if (!type.has_size && type.tag == DWARF_TYPE_POINTER) {
		type.has_size = true;
		type.size = e.unit->address_size;
	}
	type.declaration = dwarf_entry_flag(&e, AT_DECLARATION);
	if (dwarf_entry_unsigned(&e, AT_ENCODING, &encoding) && encoding <= UINT8_MAX)
		type.encoding = (unsigned)encoding;
	type.of = dwarf_entry_ref(&e, AT_TYPE);
	type.go = e.unit->go;
	if (type.go)
		read_go(&e, &type);
	if (type.tag == DWARF_TYPE_ARRAY)
		read_dimensions(es, &e, &type);
	*ret = type;
	return true;
}

/* In DWARF 2, an expression that adds to the address of the struct. */
static uint64_t member_offset(const struct dwarf_entry *e)
{
	const struct dwarf_value *v = &e->value[AT_MEMBER_LOCATION];
	uint64_t off = 0;

	if (dwarf_entry_unsigned(e, AT_MEMBER_LOCATION, &off))
		return off;
	if (!entry_has(e, AT_MEMBER_LOCATION) || v->class != CLASS_BLOCK)
		return 0;
	struct bytes b = bytes_over(v->at, v->len);
	if (bytes_u8(&b) == DW_OP_plus_uconst)
		off = bytes_uvarint(&b);
	return b.bad ? 0 : off;
}

/* Size of the storage unit: old bit offsets count down from its high end. */
static uint64_t storage_bits(struct dwarf_entries *es, const struct dwarf_entry *e)
{
	struct dwarf_entry type = *e;
	uint64_t size;

	for (int i = 0; i < DWARF_DIMENSIONS; i++) {
		if (dwarf_entry_unsigned(&type, AT_BYTE_SIZE, &size))
			return size <= 16 ? 8 * size : 0;
		if (!dwarf_entry_at(es, dwarf_entry_ref(&type, AT_TYPE), &type))
			return 0;
	}
	return 0;
}

static void read_bits(struct dwarf_entries *es, const struct dwarf_entry *e,
		      struct dwarf_field *ret)
{
	uint64_t size, off = 0, old;

	if (!dwarf_entry_unsigned(e, AT_BIT_SIZE, &size) || size > UINT32_MAX)
		return;
	if (!dwarf_entry_unsigned(e, AT_DATA_BIT_OFFSET, &off) &&
	    dwarf_entry_unsigned(e, AT_BIT_OFFSET, &old))
		off = storage_bits(es, e) - size - old;
	ret->bit_size = (uint32_t)size;
	/* An old offset may be negative. */
	ret->off += (uint64_t)((int64_t)off >> 3);
	ret->bit_off = off & 7;
}

/* A static member in C++ is only a declaration. */
static bool is_field(const struct dwarf_entry *e)
{
	return (e->tag == DW_TAG_member || e->tag == DW_TAG_inheritance) &&
	       !dwarf_entry_flag(e, AT_DECLARATION);
}

void dwarf_type_each_field(struct dwarf *d, uint64_t ref, dwarf_field_fn *fn, void *arg)
{
	struct dwarf_walk w = { .es = dwarf_entries(d) };
	bool into = true;

	if (!entry_of(d, ref, &w.entry))
		return;
	while (dwarf_walk_next(&w, into)) {
		into = false;
		if (!is_field(&w.entry))
			continue;
		struct dwarf_field field = { .name = dwarf_entry_string(w.es, &w.entry,
									AT_NAME),
					     .of = dwarf_entry_ref(&w.entry, AT_TYPE),
					     .off = member_offset(&w.entry) };
		read_bits(w.es, &w.entry, &field);
		field.embedded =
			w.entry.unit->go && dwarf_entry_flag(&w.entry, AT_GO_EMBEDDED);
		if (!fn(arg, &field))
			return;
	}
}

void dwarf_type_each_enumerator(struct dwarf *d, uint64_t ref, dwarf_enumerator_fn *fn,
				void *arg)
{
	struct dwarf_walk w = { .es = dwarf_entries(d) };
	bool into = true;
	uint64_t value;

	if (!entry_of(d, ref, &w.entry))
		return;
	while (dwarf_walk_next(&w, into)) {
		into = false;
		if (w.entry.tag != DW_TAG_enumerator ||
		    !dwarf_entry_unsigned(&w.entry, AT_CONST_VALUE, &value))
			continue;
		struct dwarf_enumerator e = { dwarf_entry_string(w.es, &w.entry, AT_NAME),
					      (int64_t)value };
		if (!fn(arg, &e))
			return;
	}
}
