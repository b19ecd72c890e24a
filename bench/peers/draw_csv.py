"""The rows of a mixture as CSV: draw_csv.py DIR D DIGITS FILE"""
import sys

import mixture_files
import numpy

folder, d, digits, file = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
numpy.savetxt(file, mixture_files.rows(folder, "rows", d), fmt=f"%.{digits}g", delimiter=",", comments="",
              header=",".join(f"c{j}" for j in range(d)))
