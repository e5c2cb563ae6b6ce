// What the package offers.
