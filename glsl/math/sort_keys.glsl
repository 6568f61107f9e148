// Numbers as unsigned integers of the same order.

//@ eg_sort_key_f32 :
// A key's bits as an unsigned integer whose order is that of sort(): ascending where flip is 0, descending where it is
// ~0. The bits of positive floats grow with them, those of negative ones fall; -0 becomes +0, and every NaN the largest
// integer, which no flip moves. The same as backend/cpu/families/sort/key.hpp.
uint eg_sort_key_f32(uint bits, uint flip) {
  uint magnitude = bits & 0x7fffffffu;
  uint key = magnitude == 0u ? 0x80000000u : bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
  return magnitude > 0x7f800000u ? 0xffffffffu : key ^ flip;
}

//@ eg_sort_key_i32 :
uint eg_sort_key_i32(uint bits, uint flip) { return bits ^ 0x80000000u ^ flip; }

//@ eg_sort_key_u32 :
uint eg_sort_key_u32(uint bits, uint flip) { return bits ^ flip; }

//@ eg_sort_key_boolean :
uint eg_sort_key_boolean(uint bits, uint flip) { return (bits ^ flip) & 1u; }

//@ eg_order_key :
uint eg_order_key(float x) {
  uint bits = floatBitsToUint(x);
  uint key = bits ^ ((bits >> 31) != 0u ? 0xffffffffu : 0x80000000u);
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0xffffffffu : key;
}

//@ eg_from_order_key :
float eg_from_order_key(uint x) { return uintBitsToFloat(x ^ ((x >> 31) != 0u ? 0x80000000u : 0xffffffffu)); }

// The bits whose key this is: +0 of both zeros, some NaN of every one.
//@ eg_sorted_bits_f32 :
uint eg_sorted_bits_f32(uint key, uint flip) {
  uint ascending = key ^ flip;
  return ascending ^ ((ascending >> 31) != 0u ? 0x80000000u : 0xffffffffu);
}

//@ eg_sorted_bits_i32 :
uint eg_sorted_bits_i32(uint key, uint flip) { return key ^ 0x80000000u ^ flip; }

//@ eg_sorted_bits_u32 :
uint eg_sorted_bits_u32(uint key, uint flip) { return key ^ flip; }

//@ eg_sorted_bits_boolean :
uint eg_sorted_bits_boolean(uint key, uint flip) { return (key ^ flip) & 1u; }
