// Stand-in for the header that OPAE makes for a platform: nothing but the package is needed here.
