const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});

// [save_npy]
save_npy("x.npy", x);

// [load_npy]
save_npy("x.npy", x);
load_npy("x.npy");
// -> [[1. 2.]
//     [3. 4.]]
load_npy("nowhere.npy");  // -> FileError: [load_npy] cannot read nowhere.npy: No such file or directory

// [save_npz]
save_npz("x.npz", {{"weight", x}, {"step", Tensor::from<int32_t>({7}, {})}});

// [load_npz]
save_npz("x.npz", {{"weight", x}, {"step", Tensor::from<int32_t>({7}, {})}});
load_npz("x.npz").at("step");  // -> 7
load_npz("x.npz").at("weight");
// -> [[1. 2.]
//     [3. 4.]]

// [save_safetensors]
save_safetensors("x.safetensors", {{"weight", x}}, {{"format", "pt"}});

// [load_safetensors]
save_safetensors("x.safetensors", {{"weight", x}});
load_safetensors("x.safetensors").at("weight");
// -> [[1. 2.]
//     [3. 4.]]
load_safetensors("nowhere.safetensors");
// -> FileError: [load_safetensors] cannot read nowhere.safetensors: No such file or directory

// [safetensors_metadata]
save_safetensors("x.safetensors", {{"weight", x}}, {{"format", "pt"}});
safetensors_metadata("x.safetensors").at("format");  // -> pt
