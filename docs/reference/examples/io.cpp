const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
const std::string file = std::filesystem::temp_directory_path() / "eglantine_example.npy";

// [save_npy]
save_npy(file, x);

// [load_npy]
save_npy(file, x);
load_npy(file);
// -> [[1. 2.]
//     [3. 4.]]
