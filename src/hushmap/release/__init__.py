"""The only door from the exact graph to the public: one draw, and its certificate."""
