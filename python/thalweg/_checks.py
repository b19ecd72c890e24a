"""Which of scikit-learn's own checks ask for what an estimator does not promise, and why."""

# Checks whose rows are no counts. The same checks pass where the rows are rounded first: python/tests/test_check_estimator.py.
ON_CONTINUOUS_ROWS = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_pipeline_consistency",
    "check_sample_weights_list",
)

# Checks whose rows, moved until none is negative, have a 0. They pass where the rows are lifted a little.
ON_ROWS_WITH_ZEROS = (*ON_CONTINUOUS_ROWS, "check_sample_weights_not_an_array", "check_sample_weights_pandas_series")

# A row that counts twice is one step twice as heavy, a row that comes twice is two, and the order of rows matters: only batch EM
# cannot tell them apart.
REPEATED_ROWS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_invariance",
)


def expected_failures(estimator):
    """Check -> reason."""
    expected = {}
    if estimator._entry["takes_counts_only"]:
        expected.update(dict.fromkeys(ON_CONTINUOUS_ROWS, "the model is of whole numbers from 0 on"))
    if estimator._entry["takes_positive_only"]:
        expected.update(dict.fromkeys(ON_ROWS_WITH_ZEROS, "the model is of numbers above 0"))
    if estimator.method in ("online", "gradient") and getattr(estimator, "n_components", 2) > 1:
        expected.update(dict.fromkeys(REPEATED_ROWS, "in one pass a weight is no repetition"))
    return expected
