frobnicate the plugs;
