mod quota;
