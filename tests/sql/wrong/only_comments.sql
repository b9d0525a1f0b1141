-- nothing to see
/* here either */
